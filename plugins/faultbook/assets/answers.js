// The yes/no answers of a checklist as text in the address: `read-port.y,who-listens.n`.

/** @typedef {ReadonlyMap<string, string>} Answers */

/**
 * Reads answers; what is no answer is left out.
 * @param {string | null} text
 * @returns {Answers}
 */
export function parseAnswers(text) {
  return new Map((text ?? "").split(",").flatMap((part) => {
    const [, check, answer] = /^([\w-]+)\.([yn])$/.exec(part) ?? [];
    return check && answer ? [[check, answer]] : [];
  }));
}

/**
 * Writes the answers in the order of the checks; answers to other checks are left out.
 * @param {Answers} answers
 * @param {string[]} checks
 */
export function formatAnswers(answers, checks) {
  return checks.flatMap((check) => (answers.has(check) ? `${check}.${answers.get(check)}` : [])).join(",");
}

/**
 * The answers after a press; the same answer again takes it back.
 * @param {Answers} answers
 * @param {string} check
 * @param {string} answer
 */
export function pressAnswer(answers, check, answer) {
  const pressed = new Map(answers);
  if (pressed.get(check) === answer) pressed.delete(check);
  else pressed.set(check, answer);
  return pressed;
}
