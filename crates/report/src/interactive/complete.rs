//! Which words could come next on a line.

use super::Interactive;

/// The words that begin a clause, for any directive.
const CLAUSES: &[&str] =
    &["around", "as", "at", "backwards", "by", "everywhere", "first", "from", "in", "to", "with"];

impl Interactive {
    /// Where the word begins that ends at this byte of a line, and what it could be, sorted.
    ///
    /// The first word of a step is a directive or a tactic; after `rw` comes a rule that applies somewhere,
    /// or a theorem of the program; elsewhere come names of loops and `let`s, and words that begin a clause.
    pub fn complete(&self, line: &str, position: usize) -> (usize, Vec<String>) {
        let before = line.get(..position).unwrap_or(line);
        let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '/' | ':');
        let start = before
            .rfind(|c| !of_word(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let step = before[..start].rsplit([';', '{', '}']).next().unwrap_or_default();
        let mut words: Vec<String> = match step.split_whitespace().collect::<Vec<_>>().as_slice() {
            [] => self.directives(),
            [":rules"] => self.rules().iter().map(|rule| rule.rule.to_owned()).collect(),
            ["rw"] => {
                let catalogue = self.rules().iter().map(|rule| rule.rule);
                catalogue.chain(self.program.library().theorem_names()).map(String::from).collect()
            }
            [":show"] => crate::show::Stage::ALL.iter().map(|stage| stage.name().to_owned()).collect(),
            [":load"] => self.schedules(),
            _ => {
                let names = self.sites().into_iter().map(|site| site.name);
                names.chain(CLAUSES.iter().map(|word| (*word).to_owned())).collect()
            }
        };
        words.retain(|candidate| candidate.starts_with(word) && candidate != word);
        words.sort();
        words.dedup();
        (start, words)
    }

    /// What a step can begin with.
    fn directives(&self) -> Vec<String> {
        let directives = atl_schedule::commands::TABLE.iter().map(|command| command.name);
        directives.chain(self.program.library().tactic_names()).map(String::from).collect()
    }

    /// The schedules that can be loaded.
    fn schedules(&self) -> Vec<String> {
        let of_it = self.program.schedules().iter().filter(|s| s.of.text == self.function.name);
        of_it.map(|s| s.name.text.clone()).collect()
    }
}
