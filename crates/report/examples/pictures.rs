//! Draws an invented run in every form into a directory: `cargo run -p plimsoll-report --example pictures -- DIR`.

#[path = "../tests/common/mod.rs"]
mod common;

use plimsoll_report::{html, svg, terminal};

fn main() -> std::io::Result<()> {
    let into = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let (shop, contest) = (common::shop(), common::contest());
    let week = common::run(&common::Wish {
        name: "web-week",
        kind: "Autoscaler",
        style: common::Style::Watermarks,
        hours: 168.0,
        start_secs: 45.0,
    });
    std::fs::write(into.join("run.html"), html::page(&shop))?;
    std::fs::write(into.join("compare.html"), html::page(&contest))?;
    std::fs::write(into.join("week.html"), html::page(&week))?;
    std::fs::write(into.join("run.svg"), svg::chart(&shop))?;
    std::fs::write(into.join("compare.svg"), svg::chart(&contest))?;
    let options = terminal::Options { width: 100, color: terminal::Color::Never };
    println!("{}\n{}", terminal::chart(&shop, &options), terminal::score_table(&shop, &options));
    println!("{}", terminal::changes(&shop, &options));
    println!(
        "{}\n{}",
        terminal::compare_chart(&contest, &options),
        terminal::compare_table(&contest, &options)
    );
    Ok(())
}
