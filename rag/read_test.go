package rag_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/rag"
)

// files returns a file system with the given names and texts of files.
func files(t testing.TB, namesAndTexts ...string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	for i := 0; i < len(namesAndTexts); i += 2 {
		all[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return all
}

// A cut is a chunk as the tests of splitting compare it.
type cut struct {
	Headings    string
	First, Last int
	Text        string
}

func cuts(t *testing.T, text string, limit int) []cut {
	t.Helper()
	chunks, err := rag.Read(t.Context(), files(t, "d.md", text), &rag.ReadOptions{ChunkBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	var got []cut
	for _, c := range chunks {
		if c.Document != "d.md" {
			t.Errorf("the document is %q", c.Document)
		}
		got = append(got, cut{strings.Join(c.Headings, "/"), c.FirstLine, c.LastLine, c.Text})
	}
	return got
}

// TestHeadings distinguishes headings from lines that look like one.
func TestHeadings(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []cut
	}{
		"sections": {
			"intro\n\n# A #\none\n## B\n\ntwo\n# C",
			[]cut{{"", 1, 1, "intro"}, {"A", 3, 4, "# A #\none"}, {"A/B", 5, 7, "## B\n\ntwo"}, {"C", 8, 8, "# C"}},
		},
		"a level is left out": {
			"# A\na\n### B\nb\n## C\nc",
			[]cut{{"A", 1, 2, "# A\na"}, {"A/B", 3, 4, "### B\nb"}, {"A/C", 5, 6, "## C\nc"}},
		},
		"a heading with nothing but a deeper one": {
			"# A\n\n## B\n\ntext\n\n## C\n## D\ntext",
			[]cut{{"A/B", 1, 5, "# A\n\n## B\n\ntext"}, {"A/C", 7, 7, "## C"}, {"A/D", 8, 9, "## D\ntext"}},
		},
		"underlined": {
			"A\n===\none\n\nB and\nmore\n---\ntwo",
			[]cut{{"A", 1, 3, "A\n===\none"}, {"A/B and more", 5, 8, "B and\nmore\n---\ntwo"}},
		},
		"a rule underlines nothing": {
			"# A\none\n\n---\n- item\n---\n> quote\n---\ntwo\n***\nthree",
			[]cut{{"A", 1, 11, "# A\none\n\n---\n- item\n---\n> quote\n---\ntwo\n***\nthree"}},
		},
		"fenced code": {
			"# A\n```sh\n# no\n~~~\n\n# no\n````\n# B",
			[]cut{{"A", 1, 7, "# A\n```sh\n# no\n~~~\n\n# no\n````"}, {"B", 8, 8, "# B"}},
		},
		"a fence that is not closed": {"# A\n~~~\n# no\n```", []cut{{"A", 1, 4, "# A\n~~~\n# no\n```"}}},
		"no fence": {
			"``` a`b\n# A\n\n    ```\n# B",
			[]cut{{"", 1, 1, "``` a`b"}, {"A", 2, 4, "# A\n\n    ```"}, {"B", 5, 5, "# B"}},
		},
		"a fence in an item ends with it": {
			"1. do\n\n   ```\n   # no\n# A\n```\n# no",
			[]cut{{"", 1, 4, "1. do\n\n   ```\n   # no"}, {"A", 5, 7, "# A\n```\n# no"}},
		},
		"an item begins with a fence": {
			"- ```\n  # no\n\n  # no\n  ```\n# A",
			[]cut{{"", 1, 5, "- ```\n  # no\n\n  # no\n  ```"}, {"A", 6, 6, "# A"}},
		},
		"indented code": {"text\n\n    # no\n\t# no", []cut{{"", 1, 4, "text\n\n    # no\n\t# no"}}},
		"within an item": {
			"- one\n\n  # no\n\n  no\n  ---\n# A",
			[]cut{{"", 1, 6, "- one\n\n  # no\n\n  no\n  ---"}, {"A", 7, 7, "# A"}},
		},
		"HTML": {
			"<!--\n# no\n\n# no -->\n# A\n<PRE>\n\n# no\n</pre>\n# B\n<div>\n# no\n\n# C\n<b>bold</b>\n# D",
			[]cut{
				{"", 1, 4, "<!--\n# no\n\n# no -->"}, {"A", 5, 9, "# A\n<PRE>\n\n# no\n</pre>"},
				{"B", 10, 12, "# B\n<div>\n# no"}, {"C", 14, 15, "# C\n<b>bold</b>"}, {"D", 16, 16, "# D"},
			},
		},
		"a table": {
			"# A\n| a |\n|---|\n| # no |\n---\ntext",
			[]cut{{"A", 1, 6, "# A\n| a |\n|---|\n| # no |\n---\ntext"}},
		},
		"no heading":     {"#no\n\n####### no\n\n\\# no", []cut{{"", 1, 5, "#no\n\n####### no\n\n\\# no"}}},
		"an empty one":   {"# A\na\n##\nb", []cut{{"A", 1, 2, "# A\na"}, {"A", 3, 4, "##\nb"}}},
		"CRLF, BOM, CR":  {"\ufeff# A\r\none\r\n\r\ntwo\r# B", []cut{{"A", 1, 4, "# A\none\n\ntwo"}, {"B", 5, 5, "# B"}}},
		"front matter":   {"---\ntitle: T\n# no: 1\n---\n\n# A", []cut{{"A", 6, 6, "# A"}}},
		"TOML":           {"+++\ntitle = 'T'\n+++\ntext", []cut{{"", 4, 4, "text"}}},
		"YAML with dots": {"---\n\"title\": T\n...\ntext", []cut{{"", 4, 4, "text"}}},
		"a rule at the top": {
			"---\nwhat stands here: text\n\n---\n# A",
			[]cut{{"", 1, 4, "---\nwhat stands here: text\n\n---"}, {"A", 5, 5, "# A"}},
		},
		"a rule, then a heading": {"---\n# A\n---", []cut{{"", 1, 1, "---"}, {"A", 2, 3, "# A\n---"}}},
		"front matter that never ends": {
			"---\nkey: value\n\n# A", []cut{{"", 1, 2, "---\nkey: value"}, {"A", 4, 4, "# A"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, cuts(t, tt.text, 1000)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func lines(n int, line string) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }

// TestBlocks has sections that are too long for one chunk.
func TestBlocks(t *testing.T) {
	code := "```\n" + lines(3, strings.Repeat("c", 9)) + "\n\nx\n```" // 41 bytes
	table := "| a | b |\n|---|---|\n" + lines(4, "| c | d |")         // 59 bytes
	text := strings.TrimSpace(strings.Repeat("word ", 14))            // 69 bytes
	for name, tt := range map[string]struct {
		text string
		want []cut
	}{
		"code moves as a whole":   {text + "\n" + code, []cut{{"", 1, 1, text}, {"", 2, 8, code}}},
		"a table does":            {text + "\n\n" + table, []cut{{"", 1, 1, text}, {"", 3, 8, table}}},
		"items do":                {"- " + text + "\n- " + text, []cut{{"", 1, 1, "- " + text}, {"", 2, 2, "- " + text}}},
		"what fits stays":         {"# A\n\n" + code + "\n\n1. x\n2. y", []cut{{"A", 1, 12, "# A\n\n" + code + "\n\n1. x\n2. y"}}},
		"a heading stays with it": {text + "\n# A\n" + text, []cut{{"", 1, 1, text}, {"A", 2, 3, "# A\n" + text}}},
		"code that is too long": {
			"```\n" + lines(5, strings.Repeat("c", 30)) + "\n```",
			[]cut{{"", 1, 4, "```\n" + lines(3, strings.Repeat("c", 30))}, {"", 5, 7, lines(2, strings.Repeat("c", 30)) + "\n```"}},
		},
		"a line that is too long": {
			"# A\n" + text + " " + text + "\nend",
			[]cut{{"A", 1, 2, "# A\n" + strings.TrimSpace(strings.Repeat("word ", 19))}, {"A", 2, 3, strings.TrimSpace(strings.Repeat("word ", 9)) + "\nend"}},
		},
		"without a space": {
			strings.Repeat("ö", 60),
			[]cut{{"", 1, 1, strings.Repeat("ö", 50)}, {"", 1, 1, strings.Repeat("ö", 10)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, cuts(t, tt.text, 100)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLongHeadingsAreClipped(t *testing.T) {
	got := cuts(t, "# "+strings.Repeat("x", 5000)+"\ntext", 1000)
	for _, c := range got {
		if len(c.Headings) > 300 {
			t.Errorf("a chunk has headings of %d bytes", len(c.Headings))
		}
	}
	if last := got[len(got)-1]; !strings.HasSuffix(last.Text, "text") || last.Headings == "" {
		t.Errorf("the text stands below %q", last.Headings)
	}
}

// FuzzRead splits any document: the chunks contain all of its text exactly once,
// and their line numbers are right.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"# A\n\ntext\n\n- a\n  - b\n\n      ```\n      # c\n", "A\n===\n\nB\n---\n| a |\n|-|\n| b |", "1. ```\n   x\n\n\ty\n2)\n",
		"---\na: b\n---\n<!-- x\n\n-->\n> q\n# \u00a0\n\f\n", "\ufeff\r\r\n" + strings.Repeat("ä ", 200) + "\n\n" + strings.Repeat("ß", 200),
		"~~~\n\u00a0\n" + strings.Repeat("\n", 300) + "x\n~~~\n######\n" + strings.Repeat("#", 200),
	} {
		f.Add(seed, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, more uint8) {
		limit := 100 + int(more)
		chunks, err := rag.Read(t.Context(), files(t, "d.md", text), &rag.ReadOptions{ChunkBytes: limit})
		switch {
		case errors.Is(err, rag.ErrNotUTF8) && !utf8.ValidString(text):
			return
		case errors.Is(err, rag.ErrBinary) && strings.Contains(text, "\x00"):
			return
		case errors.Is(err, rag.ErrEmpty):
			chunks = nil
		case err != nil:
			t.Fatal(err)
		}
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff")), "\n")
		var got strings.Builder
		last, lastByte := 0, 0
		for _, c := range chunks {
			if strings.TrimSpace(c.Text) == "" || len(c.Text) > limit || !utf8.ValidString(c.Text) {
				t.Fatalf("a chunk is %q", c.Text)
			}
			if c.Start < lastByte || c.End > len(text) || !strings.Contains(squeeze(text[c.Start:c.End]), squeeze(c.Text)) {
				t.Fatalf("%q is not at bytes %d to %d, after %d", c.Text, c.Start, c.End, lastByte)
			}
			lastByte = c.End
			if c.FirstLine < last || c.LastLine < c.FirstLine || c.LastLine > len(lines) {
				t.Fatalf("lines %d to %d come after %d, of %d", c.FirstLine, c.LastLine, last, len(lines))
			}
			if whole := strings.Join(lines[c.FirstLine-1:c.LastLine], " "); !strings.Contains(squeeze(whole), squeeze(c.Text)) {
				t.Fatalf("%q is not in lines %d to %d: %q", c.Text, c.FirstLine, c.LastLine, whole)
			}
			last = c.LastLine
			got.WriteString(c.Text)
		}
		want := squeeze(strings.Join(lines, ""))
		switch squeeze(got.String()) {
		case want:
		case squeeze(strings.Join(lines[frontMatterEnd(lines):], "")):
		default:
			t.Errorf("the chunks contain other text than the document:\n%q\n%q", squeeze(got.String()), want)
		}
	})
}

// squeeze removes all space, because chunks are cut at spaces.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// frontMatterEnd returns the line after what can be front matter.
func frontMatterEnd(lines []string) int {
	if first := strings.TrimRight(lines[0], " \t"); first != "---" && first != "+++" {
		return 0
	}
	for i, line := range lines[1:] {
		switch strings.TrimRight(line, " \t") {
		case "---", "+++", "...":
			return i + 2
		}
	}
	return 0
}

func TestReadOrder(t *testing.T) {
	chunks, err := rag.Read(t.Context(), files(t,
		"b.md", "b", "a/z.MD", "az", "a/b.markdown", "ab", "c.png", "no", ".hidden.md", "no", ".git/x.md", "no",
		"a.md", "a", "d.txt", "d", "e.HTM", "<p>e",
	), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range chunks {
		got = append(got, c.Document+" "+c.Text)
	}
	if diff := cmp.Diff([]string{"a/b.markdown ab", "a/z.MD az", "a.md a", "b.md b", "d.txt d", "e.HTM e"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	some := func(opt *rag.ReadOptions, namesAndTexts ...string) func(*testing.T) error {
		return func(t *testing.T) error { _, err := rag.Read(t.Context(), files(t, namesAndTexts...), opt); return err }
	}
	for name, tt := range map[string]struct {
		read func(*testing.T) error
		want error // nil: any
		says string
	}{
		"Latin-1":             {some(nil, "a.md", "ok", "sub/latin.md", "Malm\xf6"), rag.ErrNotUTF8, "sub/latin.md"},
		"a large file":        {some(&rag.ReadOptions{MaxFileBytes: 3}, "a.md", "abc", "b.md", "abcd"), rag.ErrTooLarge, "b.md"},
		"too much in all":     {some(&rag.ReadOptions{MaxBytes: 5}, "a.md", "abc", "b.md", "abc"), rag.ErrTooLarge, "b.md"},
		"binary":              {some(nil, "a.txt", "PK\x03\x00"), rag.ErrBinary, "a.txt"},
		"no known name":       {some(nil, "a.png", "text"), rag.ErrNoDocuments, ".md"},
		"nothing but space":   {some(nil, "a.md", "\n\n"), rag.ErrEmpty, "a.md"},
		"only front matter":   {some(nil, "a.md", "---\na: b\n---\n"), rag.ErrEmpty, "a.md"},
		"only a script":       {some(nil, "a.html", "<script>alert(1)</script>"), rag.ErrEmpty, "a.html"},
		"nothing":             {some(nil), rag.ErrNoDocuments, ""},
		"no such folder":      {func(*testing.T) error { _, err := rag.Read(t.Context(), os.DirFS("no/such/folder"), nil); return err }, fs.ErrNotExist, ""},
		"chunks too small":    {some(&rag.ReadOptions{ChunkBytes: 10}, "a.md", "text"), nil, "ChunkBytes"},
		"a negative limit":    {some(&rag.ReadOptions{MaxBytes: -1}, "a.md", "text"), nil, "MaxBytes"},
		"a limit above 1 GiB": {some(&rag.ReadOptions{MaxFileBytes: math.MaxInt}, "a.md", "text"), nil, "MaxFileBytes"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.read(t)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error is %v, want %v that names %q", err, tt.want, tt.says)
			}
		})
	}
}

// TestLinks reads a folder as containers mount it: its files are links into a
// hidden folder.
func TestLinks(t *testing.T) {
	link := func(to string) *fstest.MapFile { return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(to)} }
	mounted := fstest.MapFS{
		"..data/core.md": {Data: []byte("linked")},
		"core.md":        link("..data/core.md"),
		"folder.md":      link("..data"),
	}
	chunks, err := rag.Read(t.Context(), mounted, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks) != 1 || chunks[0].Document != "core.md" || chunks[0].Text != "linked" {
		t.Errorf("read %v, want the file behind the link and nothing of the folder behind one", chunks)
	}
	mounted["lost.md"] = link("..data/lost.md")
	if _, err := rag.Read(t.Context(), mounted, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "lost.md") {
		t.Errorf("the error is %v, want one that names the link to nothing", err)
	}
}

// TestReadGoesOn has files that cannot be read among others.
func TestReadGoesOn(t *testing.T) {
	all := fstest.MapFS{
		"big.md":    {Data: make([]byte, 50<<20)},
		"bin.txt":   {Data: []byte{0, 1, 2}},
		"empty.md":  {Data: []byte(" ")},
		"good.md":   {Data: []byte("good")},
		"latin.txt": {Data: []byte("Malm\xf6")},
		"own.x":     {Data: []byte("y")},
		"zz.html":   {Data: []byte("<p>also</p>")},
	}
	odd := errors.New("odd")
	got, err := rag.Read(t.Context(), all, &rag.ReadOptions{Loaders: map[string]rag.Loader{
		".x": func(context.Context, []byte) (*rag.Document, error) { return nil, odd },
	}})
	if len(got) != 2 || got[0].Document != "good.md" || got[1].Document != "zz.html" {
		t.Errorf("read %v", got)
	}
	for name, want := range map[string]error{
		"big.md": rag.ErrTooLarge, "bin.txt": rag.ErrBinary, "empty.md": rag.ErrEmpty, "latin.txt": rag.ErrNotUTF8, "own.x": odd,
	} {
		if !errors.Is(err, want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "good.md") {
		t.Errorf("the error is %v", err)
	}
}

func TestMetadata(t *testing.T) {
	got, err := rag.Read(t.Context(), files(t, "a.html", "<title>A  title</title><p>text"), &rag.ReadOptions{
		Metadata: func(name string) map[string]string { return map[string]string{"folder": name} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"title": "A title", "folder": "a.html"}, got[0].Metadata); diff != "" {
		t.Error(diff)
	}
}

const page = `<html><head><title>T</title><style>p{}</style></head>
<body><h1>Fees &amp; <b>dues</b></h1>
<p>One
 line<br>and another.</p><script>no()</script>
<ul><li>first<li>second</ul>
<h2>Table</h2><table><tr><th>a<th>b</tr>
<tr><td><p>1</p></td><td>2</td></tr></table>
<pre>code
  more</pre>
</body>`

// TestHTML checks the text of a page and that its spans are those of the file.
func TestHTML(t *testing.T) {
	chunks, err := rag.Read(t.Context(), files(t, "p.html", page), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []cut
	for _, c := range chunks {
		got = append(got, cut{strings.Join(c.Headings, "/"), c.FirstLine, c.LastLine, c.Text})
	}
	want := []cut{
		{"Fees & dues", 2, 5, "Fees & dues\n\nOne line\nand another.\n\nfirst\n\nsecond"},
		{"Fees & dues/Table", 6, 9, "Table\n\na | b\n1 | 2\n\ncode\n  more"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for i, ends := range []struct{ first, last string }{{"Fees", "second"}, {"Table", "more"}} {
		part := page[chunks[i].Start:chunks[i].End]
		if !strings.HasPrefix(part, ends.first) || !strings.HasSuffix(part, ends.last) {
			t.Errorf("chunk %d is at %q", i, part)
		}
	}
}

// FuzzHTML reads any page: spans are in the file and in their order.
func FuzzHTML(f *testing.F) {
	f.Add(page)
	f.Add("<table><tr><td>a</table></table><pre></pre></pre><h1></p>x<svg><p>no</svg>y")
	f.Fuzz(func(t *testing.T, text string) {
		chunks, _ := rag.Read(t.Context(), files(t, "p.html", text), &rag.ReadOptions{ChunkBytes: 100})
		last := 0
		for _, c := range chunks {
			if c.Start < last || c.End < c.Start || c.End > len(text) || len(c.Text) > 100 || c.FirstLine < 1 || c.LastLine < c.FirstLine {
				t.Fatalf("%+v after %d", c, last)
			}
			last = c.Start
		}
	})
}

// TestSplitSentences has a paragraph and a table that are too long for a chunk.
func TestSplitSentences(t *testing.T) {
	paragraph := "Nach § 5 Abs. 2 gilt das am 3. Mai. " + "Das zweite Wort steht in einem Satz, der lang ist. " + "Der dritte ist kurz."
	row := "| " + strings.Repeat("x", 26) + " |\n"
	d := &rag.Document{Name: "d", Text: paragraph + "\n\n" + strings.Repeat(row, 5)}
	table := strings.Index(d.Text, "|")
	d.Blocks = []rag.Block{{Start: 0, End: table - 2}, {Start: table, End: len(d.Text), Whole: true}}
	var got []string
	for _, c := range rag.Split(d, 100) {
		got = append(got, c.Text)
		if c.Text != strings.TrimSpace(d.Text[c.Start:c.End]) {
			t.Errorf("%q is not at its offsets", c.Text)
		}
	}
	want := []string{
		"Nach § 5 Abs. 2 gilt das am 3. Mai. Das zweite Wort steht in einem Satz, der lang ist.", "Der dritte ist kurz.",
		strings.TrimSpace(strings.Repeat(row, 3)), strings.TrimSpace(strings.Repeat(row, 2)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestHostileMarkdown has documents that take readers of Markdown a long time. They
// are read at once, and nothing of them is lost.
func TestHostileMarkdown(t *testing.T) {
	const many = 300_000
	for name, text := range map[string]string{
		"quotations":   strings.Repeat("> ", many) + "end",
		"items":        strings.Repeat("- ", many) + "end",
		"numbers":      strings.Repeat("1. ", many) + "end",
		"emphasis":     strings.Repeat("*a_", many) + "end",
		"brackets":     strings.Repeat("[", many) + "end",
		"an open item": "a\n\n\n-\n\t*",
		"a heading":    "# " + strings.Repeat("*a_[", many) + "end",
	} {
		chunks, err := rag.Read(t.Context(), files(t, "d.md", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, c := range chunks {
			size += len(squeeze(c.Text))
		}
		if size != len(squeeze(text)) {
			t.Errorf("%s: %d of %d bytes", name, size, len(squeeze(text)))
		}
	}
}
