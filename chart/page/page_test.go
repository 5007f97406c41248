package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/page"
)

func bar(title string, notes ...string) *chart.Spec {
	spec, err := json.Marshal(map[string]any{
		"title": title, "mark": "bar", "data": map[string]any{"values": []any{map[string]any{"a": "</script><b>", "n": 1}}},
	})
	if err != nil {
		panic(err)
	}
	return &chart.Spec{Title: title, JSON: spec, Notes: notes}
}

func write(t *testing.T, p page.Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := page.Write(t.Context(), &out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// body returns the text of a page, with each chart as its title.
func body(t *testing.T, text string) string {
	t.Helper()
	_, text, ok1 := strings.Cut(text, "<main>\n")
	text, _, ok2 := strings.Cut(text, "</main>")
	if !ok1 || !ok2 {
		t.Fatal("the page has no text")
	}
	return figure.ReplaceAllString(text, "[$1]\n")
}

var (
	figure  = regexp.MustCompile(`(?s)<figure aria-label="([^"]*)">.*?</figure>\n`)
	script  = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	element = regexp.MustCompile(`<([a-zA-Z][^\s>]*)([^>]*)>`)
)

func TestMarkdown(t *testing.T) {
	charts := []page.Chart{{ID: "a", Spec: bar("A")}, {ID: "b", Spec: bar("B")}}
	for name, tt := range map[string]struct{ markdown, want string }{
		"nothing":          {"", "[A]\n[B]\n"},
		"text":             {"# One & *two*", "<h1>One &amp; <em>two</em></h1>\n[A]\n[B]\n"},
		"a chart":          {"First\n\n![](chart:b)\n\nlast", "<p>First</p>\n<div>[B]\n</div>\n<p>last</p>\n[A]\n"},
		"a chart twice":    {"![](chart:b)\n\n![](chart:b)", "<div>[B]\n</div>\n<div></div>\n[A]\n"},
		"no such chart":    {"![a chart](chart:c)", "<p>a chart</p>\n[A]\n[B]\n"},
		"an image":         {"![an image](https://example.com/x.png)", "<p>an image</p>\n[A]\n[B]\n"},
		"a link":           {"[here](https://example.com) [x](javascript:alert)", "<p>here x</p>\n[A]\n[B]\n"},
		"an address":       {"<https://example.com/?a&b>", "<p>https://example.com/?a&amp;b</p>\n[A]\n[B]\n"},
		"a link of a line": {"[x]\n\n[x]: https://example.com", "<p>x</p>\n[A]\n[B]\n"},
		"HTML in a line":   {"a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n[A]\n[B]\n"},
		"HTML lines":       {"<script>\nalert(1)\n</script>\n", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</p>\n[A]\n[B]\n"},
		"code":             {"```html\n<b>\n```", "<pre><code class=\"language-html\">&lt;b&gt;\n</code></pre>\n[A]\n[B]\n"},
		"a table": {"|a|b|\n|-|-:|\n|1|<b>|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n" +
			"<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">&lt;b&gt;</td>\n</tr>\n</tbody>\n</table>\n[A]\n[B]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := body(t, write(t, page.Page{Markdown: tt.markdown, Charts: charts}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextsAreEscaped(t *testing.T) {
	const attack = `"><script>alert(1)</script>`
	text := write(t, page.Page{
		Title: attack, Language: attack, Markdown: attack,
		Charts: []page.Chart{{ID: attack, Spec: bar(attack, attack), Query: attack}},
	})
	if strings.Contains(text, "<script>alert") || strings.Contains(text, `"></script><b>`) {
		t.Error("a text became an element")
	}
	if n := strings.Count(text, "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"); n < 5 {
		t.Errorf("the text is shown %d times", n)
	}
	if !strings.Contains(text, `\u003c/script\u003e\u003cb\u003e`) {
		t.Error("the data of the chart is not escaped")
	}
}

// TestPolicy checks that the page allows what it needs, and nothing else.
func TestPolicy(t *testing.T) {
	text := write(t, page.Page{Markdown: "x", Charts: []page.Chart{{ID: "a", Spec: bar("A")}}})
	hash := func(part string) string {
		sum := sha256.Sum256([]byte(part))
		return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src" + hash(styles.FindStringSubmatch(text)[1]) + "; script-src"
	scripts := script.FindAllStringSubmatch(text, -1)
	if len(scripts) != 4 {
		t.Fatalf("there are %d scripts", len(scripts))
	}
	for _, s := range scripts {
		want += hash(s[1])
	}
	if !strings.Contains(text, `<meta http-equiv="Content-Security-Policy" content="`+want+`">`) {
		t.Errorf("the policy is not %s", want)
	}
	if !strings.Contains(text, "University of Washington Interactive Data Lab") || !strings.Contains(text, "Mike Bostock") {
		t.Error("the licenses are not in the page")
	}
}

// TestScript checks that the script of the page of another host is that of a page, with
// its licenses.
func TestScript(t *testing.T) {
	got := string(page.Script())
	for _, s := range script.FindAllStringSubmatch(write(t, page.Page{}), -1) {
		if !strings.Contains(got, s[1]) {
			t.Errorf("a script of a page is missing: %.100s", s[1])
		}
	}
	comment, _, ok := strings.Cut(got, "*/")
	if !ok || !strings.HasPrefix(got, "/*") || !strings.Contains(comment, "University of Washington Interactive Data Lab") {
		t.Errorf("the licenses are not the first comment: %.100s", got)
	}
	if !strings.Contains(got, "globalThis.drawChart") {
		t.Error("the script has no drawChart")
	}
}

func TestLanguage(t *testing.T) {
	p := page.Page{Charts: []page.Chart{{ID: "a", Spec: bar("A"), Query: "SELECT 1"}}}
	for language, want := range map[string][]string{
		"":      {`<html lang="en">`, "Query"},
		"de-AT": {`<html lang="de-AT">`, "Abfrage"},
		"fr":    {`<html lang="fr">`, "Query"},
	} {
		p.Language = language
		text := write(t, p)
		if !strings.Contains(text, want[0]) || !strings.Contains(text, "<summary>"+want[1]+"</summary>") {
			t.Errorf("%s: want %q", language, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, charts := range map[string][]page.Chart{
		"an ID twice": {{ID: "a", Spec: bar("A")}, {ID: "a", Spec: bar("B")}},
		"no spec":     {{ID: "a"}},
		"no JSON":     {{ID: "a", Spec: &chart.Spec{JSON: json.RawMessage(`{"a"`)}}},
	} {
		var out bytes.Buffer
		if err := page.Write(t.Context(), &out, page.Page{Charts: charts}); err == nil || !strings.Contains(err.Error(), `"a"`) || out.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
	if err := page.Write(t.Context(), failing{}, page.Page{}); !errors.Is(err, errFull) {
		t.Errorf("the error of the writer is %v", err)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// FuzzMarkdown checks that no text becomes an element that loads, links or runs.
func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{
		"# a\n\n![](chart:a) [x](javascript:y)", "<script>x</script>", "<a href=x>", "<!-- -->\n<style>", "[a]: <b> 'c'\n\n[a] ![a]",
		"|a|\n|-|\n|<b>|", "```\"><b onclick=x>\n```", "<x:y>", "&lt;script&gt;", "1. a\n   - b\n> c", "<![CDATA[<b>]]>", "<?php x ?>",
	} {
		f.Add(text)
	}
	allowed := map[string]bool{}
	for _, name := range strings.Fields("p div h1 h2 h3 h4 h5 h6 em strong del code pre ul ol li hr br blockquote table thead tbody tr th td") {
		allowed[name] = true
	}
	attribute := regexp.MustCompile(`^( class="language-[^"]*"| align="(left|right|center)"| start="[0-9]+"| /)*$`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range element.FindAllStringSubmatch(body(t, write(t, page.Page{Markdown: text, Charts: []page.Chart{{ID: "a", Spec: bar("A")}}})), -1) {
			if !allowed[found[1]] || !attribute.MatchString(found[2]) {
				t.Errorf("%q became %s", text, found[0])
			}
		}
	})
}
