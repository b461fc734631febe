// Yes/no buttons in a checklist. The answers live in the address only.
import { withParam } from "./address.js";
import { formatAnswers, parseAnswers, pressAnswer } from "./answers.js";
import { all, showAddress } from "./dom.js";

/** @param {HTMLElement} item */
const idOf = (item) => item.id.replace("check-", "");

/**
 * The row of one answer with its words turned into a button.
 * @param {HTMLElement} row
 * @param {HTMLElement} item
 */
function makeChoice(row, item) {
  const button = document.createElement("button");
  const question = item.querySelector("h3");
  const words = row.querySelector("dt");
  button.type = "button";
  if (question) {
    question.id ||= `${item.id}-question`;
    button.setAttribute("aria-describedby", question.id);
  }
  button.append(...(words?.childNodes ?? []));
  words?.append(button);
  return { button, row, check: idOf(item), answer: row.matches(".fb-branch__yes") ? "y" : "n" };
}

/** @param {HTMLElement} list */
function enhance(list) {
  const items = all("[id^=check-]:has(.fb-branch)", list);
  const choices = items.flatMap((item) => all(".fb-branch > div", item).map((row) => makeChoice(row, item)));
  let answers = parseAnswers(new URL(location.href).searchParams.get("a"));
  const paint = () => {
    for (const { button, row, check, answer } of choices) {
      const given = answers.get(check) ?? answer;
      button.setAttribute("aria-pressed", String(answers.get(check) === answer));
      row.classList.toggle("is-off", given !== answer);
    }
  };
  for (const { button, check, answer } of choices) {
    button.addEventListener("click", () => {
      answers = pressAnswer(answers, check, answer);
      showAddress(withParam(location.href, "a", formatAnswers(answers, items.map(idOf))));
      paint();
    });
  }
  paint();
}

/** Turns the branches of each checklist into buttons and restores the answers of the address. */
export const start = () => all("[data-fb-check]").forEach(enhance);
