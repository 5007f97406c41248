package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/page"
	"github.com/qedkit/qed/internal/command/chat"
)

// write writes charts as Vega-Lite, and a text as Markdown and with the charts as a page.
func (c *conversation) write(ctx context.Context, name, title, language, markdown string, charts []analyst.Chart) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(c.folder, name)
	if err := os.WriteFile(path+".md", []byte(markdown), 0o600); err != nil {
		return err
	}
	p := page.Page{Title: title, Language: language, Markdown: markdown}
	for _, one := range charts {
		if err := os.WriteFile(path+"-"+one.ID+".vl.json", one.Spec, 0o600); err != nil {
			return err
		}
		p.Charts = append(p.Charts, page.Chart{
			ID: one.ID, Query: one.SQLQuery, Spec: &chart.Spec{Title: one.Title, JSON: one.Spec, Notes: one.Notes},
		})
	}
	var html bytes.Buffer
	if err := page.Write(ctx, &html, p); err != nil {
		return err
	}
	if err := os.WriteFile(path+".html", html.Bytes(), 0o600); err != nil {
		return err
	}
	c.show.Step("written", fmt.Sprintf("%s.html, with %s", path, chat.Count(len(charts), "chart")))
	return nil
}

// findings returns what was found as Markdown, with the notes about the data below.
func findings(e *analyst.Exploration, notes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", e.Question, e.Summary)
	for _, insight := range e.Insights {
		fmt.Fprintf(&b, "- %s\n", insight)
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}
