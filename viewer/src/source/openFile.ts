import type { TxReport } from '../../../src/model/generated/report.ts';
import { checkReport, NotAReport } from './checkReport.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a report file. Nothing of it leaves the page. Throws `NotAReport`. */
export async function readReportFile(file: File): Promise<TxReport> {
  if (file.size > MOST_BYTES) throw new NotAReport(`${file.name} is too large for a report.`);
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    throw new NotAReport(`${file.name} is not JSON.`);
  }
  return checkReport(value);
}

/** Takes files dropped anywhere on the page. */
export function acceptDrops(onFile: (file: File) => void): void {
  const carriesFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  let depth = 0;
  const mark = (): void => void document.body.classList.toggle('dropping', depth > 0);
  window.addEventListener('dragenter', (event) => {
    if (!carriesFile(event)) return;
    depth += 1;
    mark();
  });
  window.addEventListener('dragleave', (event) => {
    if (!carriesFile(event)) return;
    depth = Math.max(0, depth - 1);
    mark();
  });
  window.addEventListener('dragover', (event) => {
    if (carriesFile(event)) event.preventDefault();
  });
  window.addEventListener('drop', (event) => {
    depth = 0;
    mark();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onFile(file);
  });
}
