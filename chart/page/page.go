// Package page writes a Markdown text and its charts as one HTML page that a
// browser shows without a network.
//
// The page contains Vega and Vega-Lite, which draw the charts in the light or dark
// colors that the reader prefers. It loads nothing: its Content-Security-Policy
// forbids all network access, and all scripts and styles other than those of this
// package.
// Nothing in a text can run, and nothing is a link: HTML is shown as it is written,
// and a link is shown as its text.
//
// The JavaScript adds 0.8 MB to each page and to the program. Its licenses are in
// the page.
package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/usertext"
)

// A Page is a text with charts.
type Page struct {
	Title    string
	Language string // a tag such as "de-AT"; empty means English

	// Markdown is the text, with tables. The image ![](chart:ID) is replaced by the
	// chart with that ID. Other images are replaced by their alternative text. A text
	// whose markup takes too long to read, such as thousands of nested lists, is shown
	// as it is written.
	Markdown string

	Charts []Chart // charts that Markdown does not reference are appended
}

// A Chart is a chart of a page.
type Chart struct {
	ID    string // letters, digits, _ and -
	Spec  *chart.Spec
	Query string // that read the rows, shown if the reader opens it
}

// Write writes a page to w. If two charts have the same ID, or a chart is not
// valid, it writes nothing and returns an error.
func Write(ctx context.Context, w io.Writer, p Page) error {
	p.Language = cmp.Or(p.Language, usertext.English)
	var out bytes.Buffer
	fmt.Fprintf(&out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n", html.EscapeString(p.Language))
	fmt.Fprintf(&out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	out.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n")
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", html.EscapeString(p.Title), style)
	if err := body(ctx, &out, p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	out.WriteString("</main>\n")
	fmt.Fprintf(&out, "<script type=\"text/plain\">%s</script>\n", licenses)
	for _, s := range scripts {
		fmt.Fprintf(&out, "<script>%s</script>\n", s)
	}
	out.WriteString("</body>\n</html>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// pageTexts are what a page says by itself.
type pageTexts struct {
	Query  string
	Failed string // instead of a chart that cannot be drawn
}

var textTable = usertext.Of[pageTexts]("page")

// figure returns a chart as HTML. Its spec is data, which the script of the page
// draws.
func (c Chart) figure(words *pageTexts) (string, error) {
	if c.Spec == nil {
		return "", fmt.Errorf("the chart %q has no spec", c.ID)
	}
	var spec, escaped bytes.Buffer
	if err := json.Compact(&spec, c.Spec.JSON); err != nil {
		return "", fmt.Errorf("the spec of the chart %q: %w", c.ID, err)
	}
	json.HTMLEscape(&escaped, spec.Bytes()) // so that no text ends the script element
	var out strings.Builder
	fmt.Fprintf(&out, "<figure aria-label=\"%s\">\n<div class=\"chart\" data-failed=\"%s\"></div>\n<script type=\"application/json\">%s</script>\n",
		html.EscapeString(c.Spec.Title), html.EscapeString(words.Failed), escaped.String())
	if len(c.Spec.Notes) > 0 || c.Query != "" {
		out.WriteString("<figcaption>\n")
		for _, note := range c.Spec.Notes {
			fmt.Fprintf(&out, "<p>%s</p>\n", html.EscapeString(note))
		}
		if c.Query != "" {
			fmt.Fprintf(&out, "<details><summary>%s</summary><pre><code>%s</code></pre></details>\n",
				words.Query, html.EscapeString(c.Query))
		}
		out.WriteString("</figcaption>\n")
	}
	out.WriteString("</figure>\n")
	return out.String(), nil
}

var (
	//go:embed assets/vega.min.js
	vega string
	//go:embed assets/vega-lite.min.js
	vegaLite string
	//go:embed assets/vega-interpreter.js
	interpreter string
	//go:embed assets/LICENSES.txt
	licenses string
	//go:embed draw.js
	draw string
	//go:embed style.css
	style string
)

// scripts are the scripts of a page, in order. The interpreter of expressions is
// published as a module only. With it the page needs no permission to compile
// texts as JavaScript.
var scripts = []string{
	vega,
	vegaLite,
	strings.NewReplacer(
		"import { ascending, isString, DisallowedObjectProperties } from 'vega-util';",
		"(() => { const { ascending, isString, DisallowedObjectProperties } = vega;",
		"export { expression as expressionInterpreter };",
		"globalThis.expressionInterpreter = expression; })();",
	).Replace(interpreter),
	strings.Replace(draw, "HOUSE_STYLE", string(vegalite.Style), 1),
}

// Script returns the JavaScript of a page as one file, for a page of the host's own. Its
// first comment has the licenses. It draws each figure element of the document, and
// drawChart(figure) draws one that was added later. As in a page of [Write], a figure
// has an element of the class "chart", with the text for a failure in data-failed, and
// a script element of the type application/json with the spec of a chart.
func Script() []byte {
	all := append([]string{"/*\n" + strings.ReplaceAll(licenses, "*/", "* /") + "*/"}, scripts...)
	return []byte(strings.Join(all, "\n;\n"))
}

// policy is the Content-Security-Policy: nothing but the scripts and the style of
// this package.
var policy = func() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	out := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src" + hash(style) + "; script-src"
	for _, s := range scripts {
		out += hash(s)
	}
	return out
}()
