import { Run } from "./data";
export function WhatIf(_: { recorded: Run[]; names: string[]; onChange: (runs: Run[]) => void }) {
  return null;
}
