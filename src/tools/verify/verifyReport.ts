import type { TxReport } from '../../model/generated/report.ts';
import { checkAddresses } from './checkAddresses.ts';
import { checkAttribution } from './checkAttribution.ts';
import { checkDeltas } from './checkDeltas.ts';
import { checkEvidence } from './checkEvidence.ts';
import { checkIdentity } from './checkIdentity.ts';
import { checkMoney } from './checkMoney.ts';
import { checkMotifs } from './checkMotifs.ts';
import { checkMovements } from './checkMovements.ts';
import { checkVerdict } from './checkVerdict.ts';
import type { Finding } from './finding.ts';
import { readRawChain, type RawAnswers } from './rawChain.ts';

/**
 * Re-derives the claims of a report from the node's raw answers, with none of the code that made the report.
 * Returns what does not hold, empty when all does. The report must already be valid against its published schema.
 */
export function verifyReport(report: TxReport, answers: RawAnswers): Finding[] {
  const chain = readRawChain(answers);
  const findings: Finding[] = [];
  const find = (check: string, at: string, message: string) => void findings.push({ check, at, message });
  checkIdentity(report, chain, find);
  checkEvidence(report, chain, find);
  checkAddresses(report, chain, find);
  checkMovements(report, chain, find);
  checkDeltas(report, chain, find);
  checkMotifs(report, chain, find);
  checkAttribution(report, chain, find);
  checkMoney(report, find);
  checkVerdict(report, find);
  return findings;
}
