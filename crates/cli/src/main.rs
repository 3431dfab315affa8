//! The plimsoll binary: one file per subcommand.

fn main() {}
