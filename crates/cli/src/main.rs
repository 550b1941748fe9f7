//! The `atl` command: the words of the command line, and nothing else.
//!
//! Every command is a few lines over `atl-driver`; what it prints goes through [`output`], which knows about colours,
//! pipes that close, and progress. Exit codes: 0 done, 1 the program or its data was refused (a diagnostic on standard
//! error), 2 the command line was wrong.
//!
//! Terms nest deeply and the kernel follows them by recursion, so the work runs on a thread with a large stack. A panic
//! is a bug; it is caught here, once, and a report is asked for. Where memory runs out the program is refused, too.

mod args;
mod commands;
mod json;
mod output;
mod signals;

use clap::Parser;
use output::{Exit, Output};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// The stack of the thread that does the work.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    atl_driver::wait_passively();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        // Help and version are no mistakes; `exit_code` tells them apart.
        Err(message) => {
            let code = if message.exit_code() == 0 { Exit::Done } else { Exit::Usage };
            // When the terminal is gone there is nobody to tell.
            let _ = message.print();
            return code.into();
        }
    };
    signals::refuse_instead_of_abort();
    let panic: Arc<Mutex<Option<String>>> = Arc::default();
    let place = panic.clone();
    std::panic::set_hook(Box::new(move |info| {
        // The last one: those before were caught, and answered for.
        if let Ok(mut last) = place.lock() {
            *last = Some(info.to_string());
        }
    }));
    let work = move || atl_stack::known(STACK, || commands::run(&args, &mut Output::new(args.color)));
    let thread = std::thread::Builder::new().name("atl".to_owned()).stack_size(STACK).spawn(work);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code.into(),
        Ok(Err(_)) => {
            let what = panic.lock().ok().and_then(|last| last.clone()).unwrap_or_default();
            output::report_bug(&what);
            Exit::Refused.into()
        }
        Err(why) => {
            output::no_memory(&format!(
                "no thread with a stack of {} MiB could be started: {why}",
                STACK >> 20
            ));
            Exit::Refused.into()
        }
    }
}
