package integration_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/chart/page"
	"github.com/qedkit/qed/integration"
)

// goodCharts returns the good specs of the tests of chart/lint, checked and with
// their rows, and the rows.
func goodCharts(t *testing.T) ([]*chart.Spec, *qed.Table) {
	t.Helper()
	text, err := os.ReadFile("../chart/lint/testdata/charts.json")
	if err != nil {
		t.Fatal(err)
	}
	var in struct {
		Columns []string
		Rows    [][]any
		Pairs   []struct {
			Name string
			Kind chart.Kind
			Good json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	rows := &qed.Table{}
	for _, name := range in.Columns {
		rows.Columns = append(rows.Columns, qed.Column{Name: name})
	}
	for _, row := range in.Rows {
		if err := rows.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	var out []*chart.Spec
	for _, pair := range in.Pairs {
		s, err := lint.Check(t.Context(), pair.Good, rows, lint.Options{Kind: pair.Kind, Title: pair.Name, Language: "de"})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out, rows
}

var description = regexp.MustCompile(`aria-roledescription="([^"]*)"`)

// marks counts the marks of data in a picture.
func marks(picture string) int {
	n := 0
	for _, found := range description.FindAllStringSubmatch(picture, -1) {
		switch what := found[1]; {
		case slices.Contains([]string{"axis", "legend", "title", "header"}, what), strings.HasSuffix(what, "container"):
		default:
			n++
		}
	}
	return n
}

// TestVegaLiteDraws draws what chart/lint accepts and what chart makes with
// Vega-Lite. A warning would be a chart that shows something else than it should.
func TestVegaLiteDraws(t *testing.T) {
	specs, rows := goodCharts(t)
	if len(specs) < 30 {
		t.Fatalf("there are %d specs", len(specs))
	}
	for _, o := range []chart.Options{
		{Kind: chart.Bar, X: "product", Y: "revenue"},
		{Kind: chart.StackedBar, X: "product", Y: "revenue", Color: "channel"},
		{Kind: chart.GroupedBar, X: "product", Y: "delay", Color: "channel", Aggregate: chart.Mean},
		{Kind: chart.Line, X: "month", Y: "revenue", Color: "product"},
		{Kind: chart.Area, X: "month", Y: "revenue"},
		{Kind: chart.Scatter, X: "orders", Y: "revenue"},
		{Kind: chart.Histogram, X: "delay"},
		{Kind: chart.Box, X: "product", Y: "delay"},
		{Kind: chart.Heatmap, X: "product", Y: "channel", Color: "revenue"},
		{Kind: chart.Pie, X: "product", Y: "revenue"},
	} {
		for _, language := range []string{"en", "de"} {
			o.Language = language
			s, err := chart.New(t.Context(), rows, &o)
			if err != nil {
				t.Fatal(err)
			}
			specs = append(specs, s)
		}
	}
	// The values of few bars, in the order of the numbers.
	few, err := lint.Check(t.Context(), []byte(`{"mark":"bar","encoding":{"y":{"field":"product","type":"nominal","sort":"-x"},
		"x":{"field":"revenue","type":"quantitative","aggregate":"sum"},"color":{"field":"product"}}}`), rows, lint.Options{Title: "Few", Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	specs = append(specs, few)
	in := make([]json.RawMessage, len(specs))
	for i, s := range specs {
		in[i] = s.JSON
	}
	for i, drawn := range integration.Draw(t, in) {
		if drawn.Error != "" || len(drawn.Warnings) > 0 {
			t.Errorf("%s: %s %q", specs[i].Title, drawn.Error, drawn.Warnings)
		}
		if marks(drawn.SVG) == 0 {
			t.Errorf("%s: nothing is drawn", specs[i].Title)
		}
		if specs[i] == few && (!strings.Contains(drawn.SVG, `aria-roledescription="text mark"`) || !germanNumber.MatchString(drawn.SVG)) {
			t.Errorf("the bars have no values in German: %s", drawn.SVG)
		}
	}
}

var germanNumber = regexp.MustCompile(`>\d{1,3}(\.\d{3})+<`)

// TestVegaLiteWarns checks that TestVegaLiteDraws would see a warning, an error and
// an empty picture.
func TestVegaLiteWarns(t *testing.T) {
	drawn := integration.Draw(t, []json.RawMessage{
		json.RawMessage(`{"data":{"values":[{"a":0}]},"mark":"bar","encoding":{"x":{"field":"a","type":"quantitative"},"colour":{"field":"a"}}}`),
		json.RawMessage(`{"data":{"values":[{"a":0}]},"mark":"nothing","encoding":{"x":{"field":"a","type":"quantitative"}}}`),
		json.RawMessage(`{"data":{"values":[]},"mark":"point","encoding":{"x":{"field":"a","type":"quantitative"}}}`),
	})
	if len(drawn[0].Warnings) == 0 {
		t.Error("an unknown channel gives no warning")
	}
	if drawn[1].Error == "" {
		t.Error("an unknown mark gives no error")
	}
	if n := marks(drawn[2].SVG); n != 0 {
		t.Errorf("a chart without rows has %d marks", n)
	}
}

// TestVegaFilesArePublished compares the files in the repository with those of
// npm.
func TestVegaFilesArePublished(t *testing.T) {
	modules := filepath.Join(integration.VegaLite(t), "node_modules")
	read := func(open func() (io.ReadCloser, error)) string {
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	file := func(path string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return os.Open(path) }
	}
	for own, theirs := range map[string]string{
		"../chart/page/assets/vega.min.js":         "vega/build/vega.min.js",
		"../chart/page/assets/vega-lite.min.js":    "vega-lite/build/vega-lite.min.js",
		"../chart/page/assets/vega-interpreter.js": "vega-interpreter/build/vega-interpreter.js",
		"../chart/lint/schema/LICENSE":             "vega-lite/LICENSE",
	} {
		if read(file(own)) != read(file(filepath.Join(modules, theirs))) {
			t.Errorf("%s is not that of npm", own)
		}
	}
	schema := func() (io.ReadCloser, error) {
		f, err := os.Open("../chart/lint/schema/vega-lite-6.4.3.json.gz")
		if err != nil {
			return nil, err
		}
		return gzip.NewReader(f)
	}
	if read(schema) != read(file(filepath.Join(modules, "vega-lite/build/vega-lite-schema.json"))) {
		t.Error("the schema is not that of npm")
	}
}

var scriptElement = regexp.MustCompile(`(?s)<script.*?</script>`)

// TestPageInChromium opens a page with charts and hostile texts in a browser: all
// charts are drawn, nothing of the texts runs, and nothing is loaded.
func TestPageInChromium(t *testing.T) {
	specs, rows := goodCharts(t)
	var mu sync.Mutex
	var asked []string
	var content []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked = append(asked, r.URL.Path); r.URL.Path == "/" {
			w.Write(content)
		}
	}))
	defer server.Close()
	evil := server.URL + "/evil"
	attack := fmt.Sprintf(`</script><script>new Image().src=%q;document.title="owned"</script><img src=%q onerror="document.title='owned'">`, evil, evil)

	p := page.Page{Title: "Report " + attack, Language: "en"}
	for i, s := range specs {
		p.Charts = append(p.Charts, page.Chart{ID: fmt.Sprint("c", i), Spec: s, Query: "SELECT " + attack})
	}
	hostile := &qed.Table{Columns: []qed.Column{{Name: "name"}, {Name: "n"}}}
	for i := range 3 {
		if err := hostile.Append(fmt.Sprint(i, attack), i+1); err != nil {
			t.Fatal(err)
		}
	}
	s, err := lint.Check(t.Context(), []byte(`{"mark":"bar","encoding":{"x":{"field":"name"},"y":{"field":"n"},"tooltip":{"field":"name"}}}`),
		hostile, lint.Options{Title: attack})
	if err != nil {
		t.Fatal(err)
	}
	p.Charts = append(p.Charts, page.Chart{ID: "hostile", Spec: s, Query: attack})
	made, err := chart.New(t.Context(), rows, &chart.Options{Kind: chart.Pie, X: "product", Y: "revenue"})
	if err != nil {
		t.Fatal(err)
	}
	p.Charts = append(p.Charts, page.Chart{ID: "pie", Spec: made})
	p.Markdown = "# Report\n\n" + attack + "\n\nText " + attack + " and a [link](" + evil + ") and <" + evil + ">.\n\n" +
		"![alternative](" + evil + ")\n\n![](chart:hostile)\n\n| a | b |\n|---|--:|\n| " + strings.ReplaceAll(attack, "|", "") + " | 1 |\n\n" +
		"<style>@import url(" + evil + ");</style>\n\n<iframe src=\"" + evil + "\"></iframe>\n"
	write := func(p page.Page) {
		var out strings.Builder
		if err := page.Write(t.Context(), &out, p); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		content = []byte(out.String())
	}
	write(p)
	pictures := map[bool]string{}
	for _, dark := range []bool{false, true} {
		dom, console := integration.Browse(t, server.URL+"/", dark)
		if console != "" {
			t.Errorf("dark %t: the console has %s", dark, console)
		}
		dom = scriptElement.ReplaceAllString(dom, "")
		if !strings.Contains(dom, `data-drawn="true"`) || strings.Contains(dom, "could not be drawn.</div>") {
			t.Errorf("dark %t: not all charts are drawn", dark)
		}
		if n := strings.Count(dom, "<svg "); n != len(p.Charts) {
			t.Errorf("dark %t: %d of %d charts are drawn", dark, n, len(p.Charts))
		}
		for i, figure := range strings.Split(dom, "<figure ")[1:] {
			if marks(figure) == 0 {
				t.Errorf("dark %t: figure %d is empty", dark, i)
			}
		}
		if strings.Contains(dom, "<title>owned") || strings.Contains(dom, "<iframe") || strings.Contains(dom, "<img") || strings.Contains(dom, "href=") {
			t.Errorf("dark %t: a text became an element", dark)
		}
		if !strings.Contains(dom, html.EscapeString("<img src=")) {
			t.Errorf("dark %t: the text is not shown", dark)
		}
		pictures[dark] = dom
	}
	if pictures[false] == pictures[true] {
		t.Error("the charts look the same on a dark page")
	}

	// A spec that no one checked is not drawn if it loads something.
	loading := &chart.Spec{Title: "Loads", JSON: fmt.Appendf(nil,
		`{"data":{"url":%q},"mark":"point","encoding":{"x":{"field":"a","type":"quantitative"}}}`, evil)}
	image := &chart.Spec{Title: "Image", JSON: fmt.Appendf(nil,
		`{"data":{"values":[{"u":%q,"x":1}]},"mark":{"type":"image","width":9,"height":9},"encoding":{"x":{"field":"x","type":"quantitative"},"url":{"field":"u"}}}`, evil)}
	write(page.Page{Charts: []page.Chart{{ID: "a", Spec: loading}, {ID: "b", Spec: image}}})
	integration.Browse(t, server.URL+"/", false)

	mu.Lock()
	defer mu.Unlock()
	if i := slices.IndexFunc(asked, func(path string) bool { return path != "/" && path != "/favicon.ico" }); i >= 0 {
		t.Errorf("the page loaded %s", asked[i])
	}
	if n := len(slices.DeleteFunc(slices.Clone(asked), func(path string) bool { return path != "/" })); n != 3 {
		t.Errorf("the page was opened %d times", n)
	}
}
