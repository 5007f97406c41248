package rag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/qedkit/qed/rag"
)

// textOf returns the text of the chunks of a page.
func textOf(t *testing.T, page string) string {
	t.Helper()
	chunks, err := rag.Read(t.Context(), files(t, "p.html", page), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range chunks {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n\n")
}

// Raised and lowered text never changes the number next to it.
func TestHTMLScripts(t *testing.T) {
	for page, want := range map[string]string{
		"<p>10<sup>6</sup> units":                                                    "10^6 units",
		"<p>up to 10<sup> -3 </sup>mol":                                              "up to 10^-3mol",
		"<p>100<sup>2</sup>=10000":                                                   "100^2=10000",
		"<p>a limit of 45<sup><a href='#f12'>12</a></sup> tonnes":                    "a limit of 45 [12] tonnes",
		"<p>a limit of 45<sup><a href='#f'>[12]</a></sup>.":                          "a limit of 45 [12].",
		"<p>45 <sup>12</sup> tonnes":                                                 "45 [12] tonnes",
		"<p><sup>1</sup> See the annex.":                                             "[1] See the annex.",
		"<p>the 1<sup>st</sup> of May, 2<sup>nd</sup>":                               "the 1st of May, 2nd",
		"<p>80 m<sup>2</sup> of Qed<sup>TM</sup>":                                    "80 m^2 of QedTM",
		"<p>H<sub>2</sub>O, CO<sub>2</sub>, x<sub>i</sub>":                           "H2O, CO2, xi",
		"<p>2011<sub>15</sub>":                                                       "2011_15",
		"<p>3<sup>1</sup>/<sub>2</sub> hours":                                        "3 1/2 hours",
		"<p><sup>3</sup>&frasl;<sub>4</sub> inch":                                    "3/4 inch",
		"<p>wide <sup>3</sup>/<sub>4</sub> inch":                                     "wide 3/4 inch",
		"<p>a limit of 5<sup>[1]</sup> days":                                         "a limit of 5 [1] days",
		"<p>2<sup><b>n</b></sup> is not 3<sup>e</sup>":                               "2^n is not 3e",
		"<p>voil<b>à</b>, là <i>bas</i>, 12<sup>†</sup> m":                           "voilà, là bas, 12† m",
		"<p>2<sup>1</sup>&frasl;<sub>4</sub> inch":                                   "2 1/4 inch",
		"<p>(a+b)<sup>2</sup>":                                                       "(a+b)^2",
		"<p>7<sup>8<p>9":                                                             "7^8\n\n9",
		"<p>5<sup></sup>6":                                                           "56",
		"<p>10<span style='font-size:9px; Vertical-Align: Super'>6</span> units":     "10^6 units",
		"<p>a limit of 45<span style='vertical-align:super'><a>12</a></span> tonnes": "a limit of 45 [12] tonnes",
		"<p>H<font style='vertical-align:sub'>2</font>O":                             "H2O",
		"<p>2011<small style='vertical-align:sub'>15</small>":                        "2011_15",
		"<table><tr><td>5<td style='vertical-align:sub'>6</table>":                   "5 | 6",
		"<p>10<span style='vertical-align:middle'>6</span>":                          "106",
		"<p>a limit of 12.5<sup>b</sup> kg":                                          "a limit of 12.5 [b] kg",
		"<p>10<sup>6</sup>10, log<sub>10</sub>100":                                   "10^6 10, log10 100",
		"<p>H<sub>2</sub>O and 1<sup>st</sup>7":                                      "H2O and 1st 7",
		"<p>10<sup>6</span></sup> units":                                             "10^6 units",
	} {
		if got := textOf(t, page); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// Struck text is not valid any more.
func TestHTMLStruck(t *testing.T) {
	for page, want := range map[string]string{
		"<p>The fee is <s>40</s> 50 euros.":                                         "The fee is 50 euros.",
		"<p>The fee is <del>40 <b>and 2</b></del><ins>50</ins>.":                    "The fee is 50.",
		"<p>The fee is <STRIKE>40</STRIKE> 50.":                                     "The fee is 50.",
		"<p>The fee is <span style='Text-Decoration: line-through'>40</span> 50.":   "The fee is 50.",
		"<del><p>Rule 1.</p><p>Rule 2.</p></del><p>Rule 3.":                         "Rule 3.",
		"<p><s>a <s>b</s> c</s> d":                                                  "d",
		"<p>one <s>two</p><p>three":                                                 "one\n\nthree",
		"<ul><li>one <s>two</li><li>three</ul>":                                     "one\n\nthree",
		"<table><tr><td>a <s>b</td><td>c</td></tr></table>":                         "a | c",
		"<p style='text-decoration: line-through'>old</p><p>new":                    "new",
		"<p style='text-decoration: line-through'>old<p>new<p>newer":                "new\n\nnewer",
		"<p style='text-decoration: line-through'>old<ul><li>new</ul>":              "new",
		"<ul><li style='text-decoration: line-through'>old<li>new</ul>":             "new",
		"<p>one <del>two</p><p>three":                                               "one\n\nthree",
		"<table><tr><td style='text-decoration: line-through'>a<td>b</table>":       "| b",
		"<p>kept <br style='text-decoration:line-through'>too <img style=x> and on": "kept\ntoo and on",
	} {
		if got := textOf(t, page); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// Each row of a table has all columns, whatever its cells span.
func TestHTMLTables(t *testing.T) {
	for page, want := range map[string]string{
		"<table><tr><td>a<td colspan=2>b<td>c<tr><td>1<td>2<td>3<td>4</table>":                           "a | b | b | c\n1 | 2 | 3 | 4",
		"<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>":                                 "a | b\na | c\nd | e",
		"<table><tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d</table>":                                      "a | b\na | c\na | d",
		"<table><tbody><tr><td rowspan=3>a<td>b</tbody><tbody><tr><td>c<td>d</table>":                    "a | b\nc | d",
		"<table><tr><td>x<td rowspan=3>y<tr><td>1<tr><td>2</table>":                                      "x | y\n1 | y\n2 | y",
		"<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c</table>":                                     "a | a | b\na | a | c",
		"<table><tr><td><td>b<tr><td>c<td></table>":                                                      "| b\nc |",
		"<table><tr><td>a<br>b<td><pre>c\nd</pre><tr><td>1<td>2</table>":                                 "a b | c d\n1 | 2",
		"<table><tr><td>a<td><table><tr><td>1<td>2<tr><td>3</table><td>b<tr><td>c<td>d<td>e</table>":     "a | 1 2 3 | b\nc | d | e",
		"<table><tr><td></td></tr><tr><td rowspan=x>a<td colspan=-1>b</table>after":                      "a | b\n\nafter",
		"<table><thead><tr><th>n<th>m</thead><tbody><tr><td>10<sup>6</sup><td><s>1</s>2</tbody></table>": "n | m\n10^6 | 2",
	} {
		if got := textOf(t, page); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
	var rows strings.Builder
	rows.WriteString("<table><tr><td rowspan=9999 colspan=1000>" + strings.Repeat("x", 100))
	for range 10_000 {
		rows.WriteString("<tr>")
	}
	if got := textOf(t, rows.String()); len(got) > 2*rows.Len() {
		t.Errorf("a page of %d bytes became %d", rows.Len(), len(got))
	}
}

// Each chunk of a long table names its columns.
func TestLongTable(t *testing.T) {
	row := "<tr><td>Porto<td>12<tr><td>Malm\u00f6<td>7"
	html := "<table><tr><th>city<th>visits" + strings.Repeat(row, 20) + "</table>"
	markdown := "| city | visits |\n|---|---|\n" + strings.Repeat("| Porto | 12 |\n| Malm\u00f6 | 7 |\n", 20)
	for name, text := range map[string]string{"t.html": html, "t.md": markdown} {
		chunks, err := rag.Read(t.Context(), files(t, name, text), &rag.ReadOptions{ChunkBytes: 150})
		if err != nil || len(chunks) < 3 {
			t.Fatal(len(chunks), err)
		}
		rows := 0
		for _, c := range chunks {
			if first, rest, _ := strings.Cut(c.Text, "\n"); !strings.Contains(first, "city") || len(c.Text) > 150 {
				t.Errorf("%s: %q", name, c.Text)
			} else {
				rows += strings.Count(rest, "Porto") + strings.Count(rest, "Malm")
			}
		}
		if rows != 40 {
			t.Errorf("%s: %d rows", name, rows)
		}
	}
	long := "<table><tr><th>" + strings.Repeat("city ", 20) + strings.Repeat(row, 20) + "</table>"
	chunks, err := rag.Read(t.Context(), files(t, "t.html", long), &rag.ReadOptions{ChunkBytes: 150})
	if err != nil || len(chunks) < 3 || strings.Contains(chunks[2].Text, "city") {
		t.Errorf("a head of two thirds of a chunk is repeated: %v", err)
	}
}

func TestEncodings(t *testing.T) {
	const text = "Gr\u00f6\u00dfe: 5 \u20ac"
	encoded := func(s string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	latin := encoded(charmap.Windows1252.NewEncoder().String(text))
	for _, tt := range []struct {
		name, file, want string
		err              error
	}{
		{"UTF-8", text, text, nil},
		{"a page that declares one", "<meta charset=windows-1252><p>" + latin, text, nil},
		{"the older form", `<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>` + latin, text, nil},
		{"Japanese", encoded(japanese.ShiftJIS.NewEncoder().String("<meta charset=shift_jis><p>\u4f5c\u696d")), "\u4f5c\u696d", nil},
		{"a page in UTF-8 that declares another", "<meta charset=windows-1252><p>" + text, text, nil},
		{"a byte order mark", encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("<p>" + text)), text, nil},
		{"a byte order mark of UTF-8", "\ufeff<p>" + text, text, nil},
		{"an XML declaration", `<?xml version="1.0" encoding="windows-1252"?><p>` + latin, text, nil},
		{"nothing that says so", "<p>" + latin, "", rag.ErrNotUTF8},
		{"a false name", "<meta charset=utf-8><p>" + latin, "", rag.ErrNotUTF8},
	} {
		chunks, err := rag.Read(t.Context(), files(t, "p.html", tt.file), nil)
		got := ""
		if len(chunks) > 0 {
			got = chunks[0].Text
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
	utf16 := encoded(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text))
	chunks, err := rag.Read(t.Context(), files(t, "a.txt", utf16), nil)
	if err != nil || chunks[0].Text != text {
		t.Errorf("plain text in UTF-16: %v, %v", chunks, err)
	}
	if _, err := rag.Read(t.Context(), files(t, "a.md", latin), nil); !errors.Is(err, rag.ErrNotUTF8) {
		t.Errorf("Markdown in another encoding: %v", err)
	}
}
