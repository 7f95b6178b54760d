import { Check, Copy as CopyIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.js";

export function Copy({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <Button kind="icon" aria-label={isCopied ? "Copied" : `Copy the ${what}`} onClick={() => void copy()}>
      {isCopied ? <Check aria-hidden /> : <CopyIcon aria-hidden />}
    </Button>
  );
}
