//! Prints the manual's tables of how well errors hold.

fn main() {
    let times = std::env::args().nth(1).map_or(Ok(400), |times| times.parse());
    match times {
        Ok(times) => {
            print!("{}\n{}", squeeze_tests::coverage::table(times), squeeze_tests::coverage::table_of_hard(times));
        }
        Err(_) => {
            eprintln!("error: valid are numbers of repetitions, such as 400");
            std::process::exit(2);
        }
    }
}
