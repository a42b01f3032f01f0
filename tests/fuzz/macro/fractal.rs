/// A plus.
fractal plus { scale 3 pattern { ".#." "###" ".#." } }
fractal space { dimension 3 scale 2 replicas { 0: (0, 0, 0) 1: (1, 1, 1) } }
fractal mixed { levels [plus, [vicsek, plus]] }
