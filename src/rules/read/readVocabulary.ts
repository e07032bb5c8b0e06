import { compileVocabulary, type Vocabulary } from '../compile/compileVocabulary.ts';
import { RulebookError } from './problems.ts';
import { readRuleFiles } from './readRuleFiles.ts';
import { ProblemSink, readItems } from '../compile/ruleItem.ts';

/** The vocabulary alone, for tools that work on unfinished rules. Throws `RulebookError`. */
export function readVocabulary(dirs: readonly string[]): Vocabulary {
  const { files } = readRuleFiles(dirs);
  const sink = new ProblemSink();
  const own = files.filter((f) => f.kind === 'vocabulary' || f.kind === 'precedence');
  const words = compileVocabulary(readItems(own, sink));
  if (sink.problems.length > 0) throw new RulebookError(sink.problems);
  return words;
}
