/** The page shown when the interface cannot be loaded. It needs neither scripts nor other files. */
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
<p>The gateway is not affected: it continues to serve requests and to record their cost.</p>
<p><a href="/">Reload the window</a></p>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
