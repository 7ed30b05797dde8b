// Owns the page that stands where the interface cannot: a black window tells nobody anything. No script, no style file.

/** A page that says what went wrong in `reason`, and offers to load the interface again. */
export function failurePage(reason: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 2rem; }
  h1 { font-size: 1.25rem; }
  a { color: light-dark(#3a4fd0, #9fb0ff); }
</style>
<h1>The window stopped working</h1>
<p>${escapeHtml(reason)}</p>
<p>The gateway itself is not affected: it goes on serving requests and counting their cost.</p>
<p><a href="/">Load the window again</a></p>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
