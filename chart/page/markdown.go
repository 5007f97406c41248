package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/qedkit/qed/internal/markdown"
)

// body writes the text of p and its charts.
func body(ctx context.Context, out *bytes.Buffer, p Page) error {
	f := figures{}
	for _, c := range p.Charts {
		if _, twice := f[c.ID]; twice {
			return fmt.Errorf("two charts have the ID %q", c.ID)
		}
		text, err := c.figure(textTable.In(ctx, p.Language))
		if err != nil {
			return err
		}
		f[c.ID] = &figure{html: text}
	}
	source := []byte(p.Markdown)
	tree, err := markdown.Parse(ctx, source)
	switch {
	case errors.Is(err, markdown.ErrTooComplex):
		fmt.Fprintf(out, "<pre>%s</pre>\n", util.EscapeHTML(source))
	case err != nil:
		return err
	default:
		r := renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(f, 0),
			util.Prioritized(extension.NewTableHTMLRenderer(
				extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
			util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
			util.Prioritized(html.NewRenderer(), 1000),
		))
		if err := r.Render(out, source, tree); err != nil {
			return err
		}
	}
	for _, c := range p.Charts {
		if !f[c.ID].shown {
			out.WriteString(f[c.ID].html)
		}
	}
	return nil
}

// A figure is the HTML of a chart.
type figure struct {
	html  string
	shown bool
}

// figures renders images as charts, by their ID, and what could load, link or run
// something as text.
type figures map[string]*figure

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (f figures) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, f.image)
	r.Register(ast.KindParagraph, f.paragraph)
	r.Register(ast.KindLink, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return write(w, n.(*ast.AutoLink).Label(source))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return write(w, n.(*ast.RawHTML).Segments.Value(source))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, err := w.WriteString("</p>\n")
			return ast.WalkContinue, err
		}
		block := n.(*ast.HTMLBlock)
		text := block.Lines().Value(source)
		if block.HasClosure() {
			text = append(text, block.ClosureLine.Value(source)...)
		}
		_, _ = w.WriteString("<p>")
		return write(w, text)
	})
}

// paragraph writes the tags of a paragraph. A chart cannot be in a paragraph.
func (f figures) paragraph(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "p"
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if f.of(child) != nil {
			tag = "div"
		}
	}
	text := "<" + tag + ">"
	if !entering {
		text = "</" + tag + ">\n"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

// of returns the chart that a node stands for, or nil.
func (f figures) of(n ast.Node) *figure {
	image, ok := n.(*ast.Image)
	if !ok {
		return nil
	}
	id, ok := strings.CutPrefix(string(image.Destination), "chart:")
	if !ok {
		return nil
	}
	return f[id]
}

// image writes a chart, or the alternative text of an image.
func (f figures) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	fig := f.of(n)
	if fig == nil {
		return ast.WalkContinue, nil
	}
	if !entering || fig.shown {
		return ast.WalkSkipChildren, nil
	}
	fig.shown = true
	_, err := w.WriteString(fig.html)
	return ast.WalkSkipChildren, err
}

// write writes text with the characters of HTML escaped.
func write(w util.BufWriter, text []byte) (ast.WalkStatus, error) {
	_, err := w.Write(util.EscapeHTML(text))
	return ast.WalkContinue, err
}
