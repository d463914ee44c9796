// Opens a report in a real Chromium: renders, no console error, fits narrow and wide screens, light and dark, reachable by keyboard, accessible, downloads.
//   node browser.mjs REPORT.html SCREENSHOTS_DIR       (needs playwright-core and axe-core in NODE_PATH or beside it; tests/report/browser_test.sh)
import {createRequire} from "node:module";
import fs from "node:fs";
import path from "node:path";

const require = createRequire(path.join(process.env.WATTFILL_BROWSER_MODULES ?? process.cwd(), "x.js"));
const {chromium} = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [file, shots] = process.argv.slice(2);
const url = new URL(`file://${path.resolve(file)}`).href;
const failures = [];
const check = (holds, what) => { if (!holds) failures.push(what); };

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]});
try {
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 1440]) {
      const where = `${scheme}, ${width} px`;
      const page = await browser.newPage({viewport: {width, height: 900}, colorScheme: scheme});
      page.setDefaultTimeout(120000);  // a machine that is shared may be slow; how fast a page opens is measured apart
      page.on("console", (message) => { if (["error", "warning"].includes(message.type())) failures.push(`${where}: console: ${message.text()}`); });
      page.on("pageerror", (error) => failures.push(`${where}: ${error.message}`));
      page.on("dialog", (dialog) => { failures.push(`${where}: a dialog: text of the input ran as a script`); dialog.dismiss(); });
      page.on("request", (request) => { if (!/^(file|data|blob|about):/.test(request.url())) failures.push(`${where}: asked the network for ${request.url()}`); });
      const start = Date.now();
      await page.goto(url, {timeout: 120000});
      await page.waitForSelector("html[data-ready=true]", {timeout: 90000});
      const plots = await page.locator("figure .plot").count();
      await page.waitForFunction((n) => document.querySelectorAll("figure .plot svg").length === n, plots, {timeout: 90000});
      console.log(`${where}: ${plots} plots after ${Date.now() - start} ms`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(wide <= 0, `${where}: ${wide} px wider than the screen`);
      const unnamed = await page.locator("figure .plot").evaluateAll((all) => all.filter((plot) => !plot.ariaLabel || plot.ariaLabel === "Vega visualization").length);
      check(unnamed === 0, `${where}: ${unnamed} plots do not say what they show`);
      for (const [i, box] of (await page.locator("figure .plot svg").evaluateAll((all) => all.map((svg) => ({width: svg.getBoundingClientRect().width, marks: svg.querySelectorAll("path,text").length})))).entries()) {
        check(box.width > 150 && box.width <= width, `${where}: plot ${i + 1} is ${box.width} px wide`);
        check(box.marks > 10, `${where}: plot ${i + 1} is empty`);
      }
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run({exclude: [[".plot svg"]]}, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]}));
      for (const violation of found.violations) failures.push(`${where}: axe: ${violation.id}: ${violation.help}: ${violation.nodes.slice(0, 3).map((n) => n.target + " " + (n.any[0]?.message ?? "")).join("; ")}`);
      if (shots) await page.screenshot({path: path.join(shots, `${path.basename(file, ".html")}-${scheme}-${width}.png`), fullPage: true});
      if (scheme === "light" && width === 1440) {
        const wanted = await page.locator("a[href]:visible, button:visible, select:visible, summary:visible, [tabindex='0']:visible").count();
        const reached = new Set();
        for (let i = 0; i < wanted + 5; ++i) {
          await page.keyboard.press("Tab");
          reached.add(await page.evaluate(() => { const all = [...document.querySelectorAll("*")]; return all.indexOf(document.activeElement); }));
        }
        check(reached.size >= wanted, `by keyboard ${reached.size} of ${wanted} controls are reached`);
        if (plots > 0) {
          for (const [label, start] of [["Data as CSV", ""], ["SVG", "<svg"], ["PNG", "\x89PNG"]]) {
            const [download] = await Promise.all([page.waitForEvent("download", {timeout: 10000}), page.getByText(label, {exact: true}).first().click()]);
            const bytes = fs.readFileSync(await download.path());
            check(bytes.length > 40 && bytes.toString("latin1").startsWith(start), `${label}: the download holds ${bytes.length} bytes that start with ${bytes.toString("latin1").slice(0, 8)}`);
          }
        }
        for (const select of await page.locator("select").all()) {  // every choice draws something
          const values = await select.locator("option").evaluateAll((all) => all.map((option) => option.value));
          await select.selectOption(values.at(-1));
          await page.waitForTimeout(60);
        }
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
}
for (const failure of failures) console.error(`FAILED: ${failure}`);
process.exit(failures.length ? 1 : 0);
