import { compileVocabulary, type Vocabulary } from '../src/rules/compile/compileVocabulary.ts';
import { RulebookError } from '../src/rules/read/problems.ts';
import { readRuleFiles } from '../src/rules/read/readRuleFiles.ts';
import { ProblemSink, readItems } from '../src/rules/compile/ruleItem.ts';

/** The vocabulary alone, for tools that work on unfinished rules. Throws `RulebookError`. */
export function readVocabulary(dirs: readonly string[]): Vocabulary {
  const { files } = readRuleFiles(dirs);
  const sink = new ProblemSink();
  const own = files.filter((f) => f.kind === 'vocabulary' || f.kind === 'precedence');
  const words = compileVocabulary(readItems(own, sink));
  if (sink.problems.length > 0) throw new RulebookError(sink.problems);
  return words;
}
