//! Prints the manual's table of how well errors hold.

fn main() {
    let times = std::env::args().nth(1).map_or(Ok(400), |times| times.parse());
    match times {
        Ok(times) => print!("{}", squeeze_tests::coverage::table(times)),
        Err(_) => {
            eprintln!("error: valid are numbers of repetitions, such as 400");
            std::process::exit(2);
        }
    }
}
