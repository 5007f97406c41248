package sentence_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sentence"
)

func TestEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two! Three? Four":                                           {"One.", "Two!", "Three?", "Four"},
		"It costs 1.5 EUR. See example.com for more.":                     {"It costs 1.5 EUR.", "See example.com for more."},
		"Nach § 5 Abs. 2 Nr. 3 gilt z. B. das. Sonst nie":                 {"Nach § 5 Abs. 2 Nr. 3 gilt z. B. das.", "Sonst nie"},
		"Am 3. März 2026 begann es. Im Jahr 2024. Danach":                 {"Am 3. März 2026 begann es.", "Im Jahr 2024.", "Danach"},
		"Dr. J. Meier, e.g. Anna, left. She came back.":                   {"Dr. J. Meier, e.g. Anna, left.", "She came back."},
		"It is closed. [1] It was open [2]. Why?":                         {"It is closed. [1]", "It was open [2].", "Why?"},
		"It is at 2:30 p.m. ET. The U.S. President met J.R.R. Tolkien.":   {"It is at 2:30 p.m. ET.", "The U.S. President met J.R.R. Tolkien."},
		"It ends at 5 p.m. The rest is free. In the U.S. it ends at six.": {"It ends at 5 p.m.", "The rest is free.", "In the U.S. it ends at six."},
		"Nach § 5 i.V.m. § 6, d.h. Artikel 3, gilt u.a. Satz 2. Es gilt.": {"Nach § 5 i.V.m. § 6, d.h. Artikel 3, gilt u.a. Satz 2.", "Es gilt."},
		"He said: “No.” Then he left.":                                    {"He said: “No.”", "Then he left."},
		"# A heading\nA text\nof two lines.\n\nNext":                      {"# A heading", "A text\nof two lines.", "Next"},
		"- one\n- two\n1. three\n2. four":                                 {"- one", "- two", "1. three", "2. four"},
		"See [the manual](x). It says so.":                                {"See [the manual](x).", "It says so."},
		"作業する。終わり。":                                                       {"作業する。", "終わり。"},
		"Wait... and go on. “Yes.” [a1][b2] Done":                         {"Wait... and go on.", "“Yes.” [a1][b2]", "Done"},
		"  ": nil,
		"":   nil,
	} {
		var got []string
		begin := 0
		for _, end := range sentence.Ends(text) {
			got = append(got, strings.TrimSpace(text[begin:end]))
			begin = end
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

func FuzzEnds(f *testing.F) {
	f.Add("A. B! 1. x\n- y [1]. \xff. “z.”")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, end := range sentence.Ends(text) {
			if end <= last || end > len(text) {
				t.Fatalf("a sentence ends at %d after %d, of %d", end, last, len(text))
			}
			last = end
		}
		if strings.TrimSpace(text[last:]) != "" {
			t.Errorf("%q has no end", text[last:])
		}
	})
}
