package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/research/port"
)

// write writes an answer as Markdown and as a page, next to the documents that it
// cites.
func (c *conversation) write(name, title string, answer qed.Answer) error {
	links := map[string]bool{}
	text := "# " + inline(title) + "\n\n" + linked(answer, links)
	for link := range links {
		to := filepath.Join(c.folder, filepath.FromSlash(link))
		raw, err := port.Files.ReadFile(link)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, raw, 0o600); err != nil {
			return err
		}
	}
	page, err := toHTML(title, text, links)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	at := filepath.Join(c.folder, name)
	if err := os.WriteFile(at+".md", []byte(text), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(at+".html", page, 0o600); err != nil {
		return err
	}
	c.show.Step("written", at+".md and .html")
	return nil
}

var cited = regexp.MustCompile(`\[(\d+)\]`)

// linked returns the text of an answer with links to its sources, and a list of them
// at its end. It adds the paths of the sources to links.
func linked(answer qed.Answer, links map[string]bool) string {
	paths := make([]string, len(answer.Citations))
	for i, c := range answer.Citations {
		document, _, _ := strings.Cut(c.Location, ":")
		paths[i] = path.Join("documents", document)
		links[paths[i]] = true
	}
	text := cited.ReplaceAllStringFunc(answer.Text, func(mark string) string {
		n, err := strconv.Atoi(cited.FindStringSubmatch(mark)[1])
		if err != nil || n < 1 || n > len(paths) {
			return mark
		}
		return fmt.Sprintf(`[\[%d\]](%s)`, n, paths[n-1])
	})
	var b strings.Builder
	b.WriteString(text)
	if len(paths) > 0 {
		b.WriteString("\n\n---\n\n")
	}
	for i, c := range answer.Citations {
		fmt.Fprintf(&b, "%d. [%s](%s): %s\n", i+1, inline(c.Title), paths[i], inline(c.Location))
	}
	return b.String()
}

// inline returns a text as it is in Markdown.
func inline(text string) string {
	return regexp.MustCompile("([\\\\`*_\\[\\]<>#!])").ReplaceAllString(strings.Join(strings.Fields(text), " "), `\$1`)
}

// toHTML returns Markdown as a page. Only links to the given paths are links, and HTML
// in the text is left out: the text is that of a model.
func toHTML(title, text string, links map[string]bool) ([]byte, error) {
	var body bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(onlyLinks(links), 0))))
	if err := markdown.Convert([]byte(text), &body); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>%s</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body { font: 1rem/1.5 sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem }</style>
</head><body>
%s</body></html>
`, html.EscapeString(title), body.String()), nil
}

// onlyLinks renders links to its paths, and other links and images as their text.
type onlyLinks map[string]bool

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (l onlyLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		to := string(n.(*ast.Link).Destination)
		if !l[to] {
			return ast.WalkContinue, nil
		}
		tag := "</a>"
		if entering {
			tag = `<a href="` + html.EscapeString(to) + `">`
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
	r.Register(ast.KindImage, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.WriteString(html.EscapeString(string(n.(*ast.AutoLink).Label(source))))
		return ast.WalkContinue, err
	})
}
