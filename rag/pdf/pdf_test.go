package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/pdf"
)

// file returns a PDF file with one line of text on each page.
func file(trailer string, pages ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, text := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", 5+2*i)
		stream := "BT /F1 12 Tf 14 TL 50 700 Td"
		for line := range strings.Lines(text) {
			stream += fmt.Sprintf(" (%s) Tj T*", strings.TrimSpace(line))
		}
		stream += " ET"
		object("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, trailer, xref)
	return b.Bytes()
}

// encrypted needs a password that is not the empty one.
var encrypted = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4" +
	" /O <" + strings.Repeat("11", 32) + "> /U <" + strings.Repeat("22", 32) + "> >>"

// reader is shared by all tests, because opening one takes seconds.
var reader *pdf.Reader

func TestMain(m *testing.M) {
	var err error
	if reader, err = pdf.Open(); err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	if err := reader.Close(); err != nil {
		log.Fatal(err)
	}
	os.Exit(status)
}

func TestRead(t *testing.T) {
	first := strings.Repeat("A cancelled work order stays cancelled.\n", 3)
	chunks, err := rag.Read(t.Context(), fstest.MapFS{
		"manual.PDF":    {Data: file("", first, "", "The third page.")},
		"encrypted.pdf": {Data: file(encrypted, "secret")},
		"scan.pdf":      {Data: file("", "")},
		"text.pdf":      {Data: []byte("no PDF")},
		"cut.pdf":       {Data: file("", "x")[:60]},
		"empty.pdf":     {},
		"other.md":      {Data: []byte("other")},
	}, &rag.ReadOptions{ChunkBytes: 130, Loaders: map[string]rag.Loader{".pdf": reader.Load}})
	for name, want := range map[string]error{
		"encrypted.pdf": rag.ErrEncrypted, "scan.pdf": rag.ErrEmpty, "text.pdf": pdf.ErrFormat, "cut.pdf": pdf.ErrFormat, "empty.pdf": pdf.ErrFormat,
	} {
		if !errors.Is(err, want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	want := []rag.Chunk{
		{Document: "manual.PDF", Number: 1, Text: strings.TrimSpace(first), Span: rag.Span{FirstPage: 1, LastPage: 1}},
		{Document: "manual.PDF", Number: 2, Text: "The third page.", Span: rag.Span{FirstPage: 3, LastPage: 3}},
		{Document: "other.md", Number: 1, Text: "other", Span: rag.Span{End: 5, FirstLine: 1, LastLine: 1}},
	}
	if diff := cmp.Diff(want, chunks); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Raised and lowered digits never become digits of the number before them.
func TestScripts(t *testing.T) {
	raised := func(text string) string { return ") Tj /F1 7 Tf 5 Ts (" + text + ") Tj /F1 12 Tf 0 Ts (" }
	lowered := func(text string) string { return ") Tj /F1 7 Tf -3 Ts (" + text + ") Tj /F1 12 Tf 0 Ts (" }
	for page, want := range map[string]string{
		"about 10" + raised("6") + " units":                     "about 10^6 units",
		"about 10" + raised("16") + " units":                    "about 10^16 units",
		"a limit of 45" + raised("12") + " tonnes":              "a limit of 45^12 tonnes",
		"80 m" + raised("2") + ", H" + lowered("2") + "O":       "80 m^2, H2O",
		"the year 2011" + lowered("15") + ".":                   "the year 2011_15.",
		"the 1" + raised("st") + " of 30":                       "the 1st of 30",
		"line 10\n6 is another":                                 "line 10\n6 is another",
		"plain 106, " + raised("7") + "12":                      "plain 106, 7 12",
		"small ) Tj /F1 7 Tf (12) Tj /F1 12 Tf (34 on the line": "small 1234 on the line",
	} {
		d, err := reader.Load(t.Context(), file("", page))
		// PDFium ends lines where the font changes.
		if err != nil || strings.ReplaceAll(d.Text, "\n", "") != strings.ReplaceAll(want, "\n", "") {
			t.Errorf("%q, want %q, %v", d.Text, want, err)
		}
	}
}

// Text that a line goes through is not valid any more. Lines of tables, below a word, above it
// and across the page are others.
func TestStruck(t *testing.T) {
	drawn := func(lines string) string { return "The fee is 40 or 50 euros.) Tj ET " + lines + " BT (" }
	// In Helvetica of 12 points, 40 is from 108 to 121.4, on a baseline of 700.
	for lines, want := range map[string]string{
		drawn("108 703.5 m 121 703.5 l S"):                           "The fee is or 50 euros.",
		drawn("108 703 13.4 1 re f"):                                 "The fee is or 50 euros.",
		drawn("108 703.5 m 121 703.5 l S 135 703.5 m 149 703.5 l S"): "The fee is or euros.",
		drawn("108 698.5 m 121 698.5 l S"):                           "The fee is 40 or 50 euros.",
		drawn("108 710 m 121 710 l S"):                               "The fee is 40 or 50 euros.",
		drawn("20 703.5 m 500 703.5 l S"):                            "The fee is 40 or 50 euros.",
		drawn("108 690 m 108 715 l S"):                               "The fee is 40 or 50 euros.",
		drawn("100 695 30 15 re S"):                                  "The fee is 40 or 50 euros.",
		drawn(strings.Repeat("108 703.5 m 121 703.5 l S ", 2000)):    "The fee is 40 or 50 euros.",
	} {
		d, err := reader.Load(t.Context(), file("", lines))
		if err != nil || strings.TrimSpace(d.Text) != want {
			t.Errorf("%.80s: %q, want %q, %v", lines, d.Text, want, err)
		}
	}
}

// Files whose tables of pages lie.
func TestHostilePages(t *testing.T) {
	honest := string(file("", "hello"))
	for name, tt := range map[string]struct {
		from, to string
		text     string
		err      error
	}{
		"honest":            {"", "", "hello", nil},
		"billions of pages": {"/Count 1", "/Count 2000000000", "hello", nil},
		"the page 50 times": {"[4 0 R] /Count 1", "[" + strings.Repeat("4 0 R ", 50) + "] /Count 50", strings.Repeat("hello\n\n", 49) + "hello", nil},
		"a loop":            {"[4 0 R] /Count 1", "[2 0 R 2 0 R] /Count 100000", "", pdf.ErrFormat},
	} {
		d, err := reader.Load(t.Context(), []byte(strings.Replace(honest, tt.from, tt.to, 1)))
		if !errors.Is(err, tt.err) || err == nil && d.Text != tt.text {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %v", name, err)
		}
	}
}

func TestConcurrentLoads(t *testing.T) {
	var loads sync.WaitGroup
	for i := range 6 {
		loads.Go(func() {
			d, err := reader.Load(t.Context(), file("", fmt.Sprint("page ", i)))
			if err != nil || d.Text != fmt.Sprint("page ", i) {
				t.Errorf("%d: %+v, %v", i, d, err)
			}
		})
	}
	loads.Wait()
}

func TestCancelledLoad(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reader.Load(ended, file("", "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if d, err := reader.Load(t.Context(), file("", "x")); err != nil || d.Text != "x" {
		t.Errorf("after a cancelled call: %+v, %v", d, err)
	}
}

// BenchmarkLoad reads a file of 20 pages.
func BenchmarkLoad(b *testing.B) {
	var pages []string
	for i := range 20 {
		pages = append(pages, strings.Repeat(fmt.Sprintf("A line of page %d.\n", i), 40))
	}
	data := file("", pages...)
	for b.Loop() {
		if _, err := reader.Load(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
}
