package references_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/research/references"
)

// kindOf has the kind of a reference for each type of the public set.
var kindOf = map[string]references.Kind{
	"law": references.Law, "statute": references.Law, "ordinance": references.Law, "eu_norm": references.Law,
	"regulation": references.Law, "contract": references.Law,
}

// A measure compares the spans of some types with what [references.Find] finds.
type measure struct {
	name  string
	types []string // nil: all
	lang  string

	hits, misses, wrong int
}

func (m *measure) f1() float64 { return 2 * float64(m.hits) / float64(2*m.hits+m.misses+m.wrong) }

// measures returns what is measured: the spans of German laws and of all norms.
func measures() []*measure {
	norms := []string{"law", "statute", "ordinance", "eu_norm", "regulation", "contract"}
	return []*measure{
		{name: "de-law-F1", lang: "de", types: []string{"law", "statute"}},
		{name: "de-norm-F1", lang: "de", types: norms},
	}
}

// add compares the references found in a text. A hit begins as a span does. It may end before
// the date, the gazette or the version of the law, which no registry needs. A reference of the
// measured kind that is in a span of another type is neither a hit nor wrong. log may be nil.
func (m *measure) add(s corpora.Referring, found []references.Reference, log func(what, span, around string)) {
	if s.Lang != m.lang {
		return
	}
	want, other := map[string]int{}, map[string]bool{}
	kinds := map[references.Kind]bool{}
	for _, t := range m.types {
		kinds[kindOf[t]] = true
	}
	for i, e := range s.Expected {
		if m.types == nil || slices.Contains(m.types, s.Types[i]) {
			want[bare(e)]++
		} else {
			other[bare(e)] = true
		}
	}
	for _, r := range found {
		if m.types != nil && !kinds[r.Kind] {
			continue
		}
		got := bare(r.Text)
		begins := func(span string) bool { return want[span] > 0 && strings.HasPrefix(span, got) }
		switch i := slices.IndexFunc(s.Expected, func(e string) bool { return begins(bare(e)) }); {
		case i >= 0:
			want[bare(s.Expected[i])]--
			m.hits++
		case !slices.ContainsFunc(slices.Collect(maps.Keys(other)), func(span string) bool { return strings.HasPrefix(span, got) }):
			m.wrong++
			log("wrong", r.Text, around(s.Text, r.From, r.To)+fmt.Sprintf(" want %q", s.Expected))
		}
	}
	for _, span := range slices.Sorted(maps.Keys(want)) {
		m.misses += want[span]
		if want[span] > 0 {
			from := strings.Index(s.Text, span)
			log("missed", span, around(s.Text, from, from+len(span)))
		}
	}
}

func around(text string, from, to int) string {
	return strings.ToValidUTF8(text[max(0, from-40):min(len(text), to+40)], "")
}

// bare returns a span without surrounding spaces and brackets.
func bare(s string) string { return strings.Trim(s, " \t\n()[]<>") }

// heldOut reports whether a text is in the third of the public set that was not
// looked at while the patterns were written.
func heldOut(s corpora.Referring) bool {
	h := fnv.New32a()
	h.Write([]byte(s.Text))
	return h.Sum32()%3 == 0
}

// BenchmarkReferences measures the F1 of the spans of the public set: of the
// texts that were looked at while the patterns were written, and of those held out.
// With -v it lists the missed and the wrong spans of the former by kind.
func BenchmarkReferences(b *testing.B) {
	all := corpora.NeedReferring(b)
	for _, part := range []string{"seen", "heldout"} {
		b.Run(part, func(b *testing.B) {
			ms := measures()
			listed := map[string][]string{}
			bytes := 0
			var texts []corpora.Referring
			for _, s := range all {
				if heldOut(s) == (part == "heldout") {
					texts = append(texts, s)
					bytes += len(s.Text)
				}
			}
			for _, s := range texts {
				found := references.Find(s.Text)
				for _, m := range ms {
					m.add(s, found, func(what, span, around string) {
						listed[m.name+" "+what] = append(listed[m.name+" "+what], fmt.Sprintf("%q in %q", span, around))
					})
				}
			}
			b.SetBytes(int64(bytes))
			for b.Loop() {
				for _, s := range texts {
					references.Find(s.Text)
				}
			}
			for _, m := range ms {
				b.ReportMetric(m.f1(), m.name)
			}
			if !testing.Verbose() || part == "heldout" {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(listed)) {
				b.Logf("%s, %d:\n  %s", name, len(listed[name]), strings.Join(listed[name], "\n  "))
			}
		})
	}
}
