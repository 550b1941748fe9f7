//! `atl show`: a program at a stage.

use super::load;
use crate::args::{self, Show};
use crate::output::{Output, Result};
use atl_driver::show::{Notation, Stage, show};

pub(super) fn run(args: &Show, out: &mut Output) -> Result {
    let program = load(&args.file, out)?;
    let asked = args.stage.as_deref().and_then(Stage::parse);
    let stage = asked.unwrap_or(if args.schedule.is_some() { Stage::Scheduled } else { Stage::Source });
    let notation = match args.notation {
        args::Notation::Ascii => Notation::Ascii,
        args::Notation::Math => Notation::Math,
    };
    let functions: Vec<String> = match (&args.function, &args.schedule) {
        (None, None) => program.functions().iter().map(|f| f.name.clone()).collect(),
        (name, schedule) => vec![program.function(name.as_deref(), schedule.as_deref())?.name.clone()],
    };
    let schedule = args.schedule.as_deref();
    let shown = functions.iter().map(|f| show(&program, f, schedule, stage, notation, &args.sizes));
    let texts = shown.collect::<std::result::Result<Vec<String>, _>>()?;
    out.print(&texts.join("\n"))
}
