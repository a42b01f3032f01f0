#!/usr/bin/env python3
"""The speed of `squeeze view` beside that of the same run without frames: frames a second, the share of steps, the first picture, the bytes of a frame.

    benches/view.py SQUEEZE [--seconds 5] [--rounds 3] [CASE …]

A case is `FRACTAL/RULE/LEVEL[/OPTION…]`, without one those of the manual are measured. The page is this script: it asks for the next frame when one has come, as
a browser does, of the whole grid at about 1024 × 1024 pixels. Rounds with and without frames take turns, so that both meet the same machine.
"""

import argparse
import base64
import json
import os
import re
import socket
import statistics
import struct
import subprocess
import time

CASES = ["sierpinski_triangle/life/16", "sierpinski_triangle/life/20", "menger_sponge/heat/6"]


class Page:
    def __init__(self, url):
        port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#(.*)", url).groups()
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"{head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]
        self.say(token=token)
        self.hello = json.loads(self.hear()[1])["hello"]

    def say(self, **message):
        data, mask = json.dumps(message).encode(), os.urandom(4)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + length + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def take(self, count):
        while len(self.rest) < count:
            got = self.socket.recv(1 << 20)
            if not got:
                raise SystemExit("the server hung up")
            self.rest += got
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def hear(self):
        while True:
            kind, length = self.take(2)
            if length > 125:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            data = self.take(length)
            if kind & 15 in (1, 2):
                return kind & 15, data

    def look(self, id, level):
        hello, size = self.hello, 1024
        look = {"id": id, "state": 0, "theme": "dark", "colours": "rule", "log": False, "range": None, "trim": 0}
        if hello["levels"]:
            mu, side = 0, 1
            while int(hello["extent"][0]) / side > size:
                side *= hello["patterns"][hello["levels"][mu]]["scale"][0]
                mu += 1
            look.update(mu=mu, level=level, tiles=["0"])
        else:
            sides = [int(side) for side in hello["extent"]]
            look.update(origin=["0", "0", str(sides[2] // 2)], size=[str(side) for side in sides[:2]], reduce=max(1, -(-max(sides[:2]) // size)))
        self.say(look=look)

    def frame(self):
        self.say(next=True)
        while True:
            kind, data = self.hear()
            if kind == 2:
                length = int.from_bytes(data[:4], "little")
                return json.loads(data[4 : 4 + length]), len(data)
            if "error" in json.loads(data):
                raise SystemExit(data.decode())


def measure(squeeze, case, seconds, rounds):
    fractal, rule, level, *more = case.split("/")
    words = [squeeze, "view", fractal, "--rule", rule, "--level", level, "--seed", "1", "--no-open", "--quiet", *more]
    begun = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        page = Page(child.stdout.readline().strip())
        page.look(1, int(level))
        page.frame()
        first = time.monotonic() - begun
        page.say(speed=0)
        rates, counts, sizes, device = {True: [], False: []}, [], [], []

        def run(shown):
            head, _ = page.frame()
            at, count, end = time.monotonic(), 0, time.monotonic() + seconds
            while shown and time.monotonic() < end:
                sizes.append(page.frame()[1])
                count += 1
            time.sleep(max(0, end - time.monotonic()))
            last, _ = page.frame()
            took = time.monotonic() - at
            return (last["time"] - head["time"]) / took, count / took

        run(False)
        for _ in range(rounds):
            for shown in (False, True):
                rate, frames = run(shown)
                rates[shown].append(rate)
                if shown:
                    counts.append(frames)
        own, with_frames = (statistics.median(rates[shown]) for shown in (False, True))
        ratios = [b / a for a, b in zip(rates[False], rates[True])]
        print(f"{case}: {statistics.median(counts):.1f} frames/s at {statistics.median(ratios):.2f} of the steps ({min(ratios):.2f} to {max(ratios):.2f}; {own:.4g} steps/s alone, {with_frames:.4g} with),"
              f" {statistics.median(sizes):.0f} bytes a frame, first picture after {first:.2f} s, {page.hello['device']}", flush=True)  # fmt: skip
    finally:
        child.terminate()
        child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("squeeze")
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    for case in arguments.cases:
        measure(arguments.squeeze, case, arguments.seconds, arguments.rounds)


if __name__ == "__main__":
    main()
