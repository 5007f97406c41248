package markdown

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"
)

// tokens are the parts of which hostile texts are made.
var tokens = []string{
	"*", "**", "_", "~", "~~", "`", "``", "[", "]", "[a](", "![", "![a](", "(", ")", "<", ">", "<a", "</", "<!--", "<?",
	"<![CDATA[", "&", "&#x", "\\", "- ", "* ", "1. ", "1) ", "> ", "#", "|", "|-", "a|", "-|", ":", "[a]: b\n", "[a]:", "\n",
	"\n\n", " ", "\t", "    ", "```\n", "~~~\n", "---\n", "===\n", "a", "a ", "a\n", "<a>", "**a ", "a** ", "*a_ ", "_a* ",
	"[a][", "[a]]", "\"", "\x00", "é", "- a\n", "<div>\n", "<pre>", "[](", "]: ", "|a|b|\n", "|-|-|\n", "a|b\n-|-\n", "\r",
}

// hostile returns texts of about n bytes that repeat one or two tokens.
func hostile(n int, yield func(name, text string)) {
	for _, a := range tokens {
		for _, b := range tokens {
			yield(fmt.Sprintf("%q", a+b), strings.Repeat(a+b, n/len(a+b)))
			yield(fmt.Sprintf("%q, then %q", a, b), strings.Repeat(a, n/2/len(a))+strings.Repeat(b, n/2/len(b)))
		}
	}
}

// Each text is read, or refused when the bound on the reads is reached.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all pairs of tokens, repeated")
	}
	read, refused := 0, 0
	hostile(2000, func(name, text string) {
		for _, parse := range []func(context.Context, []byte) error{
			func(ctx context.Context, s []byte) error { _, err := Blocks(ctx, s); return err },
			func(ctx context.Context, s []byte) error { _, err := Parse(ctx, s); return err },
		} {
			switch err := parse(t.Context(), []byte(text)); {
			case err == nil:
				read++
			case errors.Is(err, ErrTooComplex):
				refused++
			default:
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	if read == 0 || refused == 0 {
		t.Errorf("%d texts were read and %d refused", read, refused)
	}
}

func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"lists in lists":           strings.Repeat("1. ", 3000) + strings.Repeat("\n", 3000),
		"quotations in each other": strings.Repeat("> ", 20_000),
		"wide table, short rows":   strings.Repeat("|a", 5000) + "\n" + strings.Repeat("|-", 5000) + "\n" + strings.Repeat("|\n", 10_000),
		"links in links":           strings.Repeat("[a](", 20_000),
		"emphasis":                 strings.Repeat("*a_ ", 20_000),
		"code":                     strings.Repeat("\\```\n", 4000),
	} {
		if _, err := Parse(t.Context(), []byte(text)); !errors.Is(err, ErrTooComplex) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// Documents that people write need a small part of the bound.
func TestAccepted(t *testing.T) {
	texts := map[string]string{
		"long line":   strings.Repeat("word *word* `word` ", 300),
		"many blocks": strings.Repeat("A [link](x), *emphasis* and `code`.\n\n", 20_000),
		"table":       "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|1|2|3|\n", 10_000),
		"list":        strings.Repeat("- a\n  - b\n    - c\n      - d\n        > e\n", 2000),
		"code":        "```\n" + strings.Repeat("x = y(z)\n", 20_000) + "```\n",
		"empty lines": strings.Repeat("\n", 100_000),
	}
	files, err := filepath.Glob("../../*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(raw)
	}
	for name, source := range texts {
		if _, err := Blocks(t.Context(), []byte(source)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(t.Context(), []byte(source)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines := strings.Count(source, "\n") + 1
		all := maxReads * (len(source) + lineCost*lines)
		r := &reader{text.NewReader([]byte(source)), t.Context(), all}
		whole.Parse(r)
		if used := all - r.left; used > all/5 {
			t.Errorf("%s needs %.2f of the bound", name, float64(used)/float64(all))
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Blocks(ctx, []byte(strings.Repeat("some text\n\n", 100_000))); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// BenchmarkHostile reads all hostile texts of 20 KB.
func BenchmarkHostile(b *testing.B) {
	for b.Loop() {
		hostile(20_000, func(_, text string) {
			_, _ = Parse(b.Context(), []byte(text))
		})
	}
}

func FuzzParse(f *testing.F) {
	hostile(40, func(_, text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, source []byte) {
		if _, err := Parse(t.Context(), source); err != nil && !errors.Is(err, ErrTooComplex) {
			t.Fatal(err)
		}
		if _, err := Blocks(t.Context(), source); err != nil && !errors.Is(err, ErrTooComplex) {
			t.Fatal(err)
		}
	})
}
