package references_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/research/references"
)

func show(list []references.Reference) (out []string) {
	for _, r := range list {
		out = append(out, fmt.Sprintf("%d-%d %s|%s|%s|%s", r.From, r.To, r.Kind, r.Text, r.Target, r.Part))
	}
	return out
}

func TestLocated(t *testing.T) {
	const text = "Maße: see the rules of\n chapter two of the Safety Manual, § 5 Abs. 2 UWG, [12] and Kandel 2021. The Safety Manual is old."
	for _, c := range []struct {
		claim references.Claim
		want  string // empty: dropped
	}{
		{references.Claim{Type: references.LegalSection, Text: "chapter two", Target: "Safety Manual"}, "25-36 section|chapter two|Safety Manual|"},
		{references.Claim{Type: references.LegalSection, Text: "rules of chapter two"}, "15-36 section|rules of\n chapter two||"},
		{references.Claim{Type: references.DocumentMention, Text: "Safety\tManual", Target: "Safety Manual"}, "44-57 document|Safety Manual|Safety Manual|"},
		{references.Claim{Type: references.AcademicShortForm, Text: "Kandel 2021"}, "85-96 author_year|Kandel 2021||"},
		{references.Claim{Type: references.AcademicNumbered, Text: "[12]"}, "76-80 numbered|[12]||"},

		// What the patterns recognize with its target wins over what the model adds.
		{references.Claim{Type: references.LegalSection, Text: "Manual, § 5 Abs. 2 UWG", Target: "Safety Manual"}, "59-74 law|§ 5 Abs. 2 UWG|UWG|§ 5 Abs. 2"},

		// The target must be in the text as well.
		{references.Claim{Type: references.LegalSection, Text: "chapter two", Target: "Secret Manual"}, "25-36 section|chapter two||"},

		{references.Claim{Type: references.DocumentMention, Text: "Security Manual"}, ""},
		{references.Claim{Type: references.DocumentMention, Text: "safety manual"}, ""},
		{references.Claim{Type: references.DocumentMention, Text: "fety Man"}, ""},
		{references.Claim{Type: references.DocumentMention, Text: "Ma"}, ""},
		{references.Claim{Type: references.DocumentMention, Text: " "}, ""},
		{references.Claim{Type: references.DocumentMention, Text: "Safety Manual \xff"}, ""},
		{references.Claim{Type: references.DocumentMention, Text: strings.Repeat("Safety Manual ", 50)}, ""},
		{references.Claim{Type: "external", Text: "Safety Manual"}, ""},
		{references.Claim{Text: "Safety Manual"}, ""},
	} {
		found, dropped := references.Locate(text, []references.Claim{c.claim})
		checkSpans(t, text, found)
		if got := strings.Join(show(found), " "); got != c.want {
			t.Errorf("Locate(%+v) returned %q, want %q", c.claim, got, c.want)
		}
		if want := c.want == ""; (len(dropped) == 1) != want || want && dropped[0] != c.claim {
			t.Errorf("Locate(%+v) dropped %v", c.claim, dropped)
		}
	}
}

func TestLocatedKeepsOrderOfText(t *testing.T) {
	const text = "first the Safety Manual, then the Travel Policy"
	found, dropped := references.Locate(text, []references.Claim{
		{Type: references.DocumentMention, Text: "Travel Policy"},
		{Type: references.DocumentMention, Text: "No such thing"},
		{Type: references.DocumentMention, Text: "Safety Manual"},
	})
	want := []string{"10-23 document|Safety Manual|Safety Manual|", "34-47 document|Travel Policy|Travel Policy|"}
	if diff := cmp.Diff(want, show(found)); diff != "" || len(dropped) != 1 {
		t.Errorf("Locate returned (-want +got):\n%s and dropped %v", diff, dropped)
	}
}

func TestMerge(t *testing.T) {
	ref := func(from, to int, target string) references.Reference {
		return references.Reference{Kind: references.Document, Text: fmt.Sprint("text ", from, " ", to), From: from, To: to, Target: target}
	}
	for _, c := range []struct {
		name  string
		found [][]references.Reference
		want  []references.Reference
	}{
		{"none", nil, nil},
		{"next to each other", [][]references.Reference{{ref(5, 8, "")}, {ref(0, 5, "")}}, []references.Reference{ref(0, 5, ""), ref(5, 8, "")}},
		{"the longer one", [][]references.Reference{{ref(3, 8, "A")}, {ref(0, 9, "")}}, []references.Reference{ref(0, 9, "")}},
		{"the one with a target", [][]references.Reference{{ref(0, 9, "")}, {ref(0, 9, "A")}}, []references.Reference{ref(0, 9, "A")}},
		{"the first one", [][]references.Reference{{ref(0, 9, "B")}, {ref(0, 9, "A")}}, []references.Reference{ref(0, 9, "B")}},
		{"a chain", [][]references.Reference{{ref(0, 10, "A"), ref(9, 20, "B"), ref(19, 40, "C")}}, []references.Reference{ref(0, 10, "A"), ref(19, 40, "C")}},
		{"inner ones", [][]references.Reference{{ref(2, 4, "A"), ref(6, 8, "B")}, {ref(0, 10, "C")}}, []references.Reference{ref(0, 10, "C")}},
		{"the same key", [][]references.Reference{{ref(0, 5, "Safety Manual"), ref(20, 25, "safety  manual")}}, []references.Reference{ref(0, 5, "Safety Manual")}},
		{"other keys", [][]references.Reference{{ref(0, 5, "Safety Manual"), ref(20, 25, "Safety Manual 2")}}, []references.Reference{ref(0, 5, "Safety Manual"), ref(20, 25, "Safety Manual 2")}},
		{"no span", [][]references.Reference{{ref(5, 5, "A"), ref(-1, 5, "B")}}, nil},
	} {
		if diff := cmp.Diff(show(c.want), show(references.Merge(c.found...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestMergeChangesNothing(t *testing.T) {
	in := references.Find("Section 2, Section 1 and § 5 UWG, § 5 UWG")
	before := show(in)
	merged := references.Merge(in)
	if diff := cmp.Diff(before, show(in)); diff != "" {
		t.Errorf("Merge changed its argument:\n%s", diff)
	}
	if len(merged) != len(in)-1 {
		t.Errorf("Merge returned %q of %q", show(merged), before)
	}
}

func TestKey(t *testing.T) {
	key := func(text string) string {
		found := references.Find(text)
		if len(found) != 1 {
			t.Fatalf("Find(%q) returned %v", text, found)
		}
		return found[0].Key()
	}
	for _, same := range [][2]string{
		{"§ 5 Abs. 2 UWG", "§5\u00a0Abs 2 UWG"},
		{"Section 4.2 of the Safety Manual", "section 4.2 of the\nSafety Manual"},
	} {
		if key(same[0]) != key(same[1]) {
			t.Errorf("the keys are %q and %q", key(same[0]), key(same[1]))
		}
	}
	for _, other := range [][2]string{
		{"§ 5 UWG", "§ 5 BGB"}, {"§ 5 UWG", "§ 6 UWG"}, {"Section 1.12", "Section 11.2"}, {"§ 5 Abs. 12 UWG", "§ 51 Abs. 2 UWG"},
		{"Section 1.12 of the Safety Manual", "Section 11.2 of the Safety Manual"}, {"Section 4", "Chapter 4"},
	} {
		if key(other[0]) == key(other[1]) {
			t.Errorf("%q have the key %q", other, key(other[0]))
		}
	}
}

func FuzzLocated(f *testing.F) {
	f.Add("see the Safety Manual, § 5 UWG", "Safety  Manual", "§ 5 UWG")
	f.Add("a\u00a0\u2003b ä", "a b", "ä")
	f.Fuzz(func(t *testing.T, text, first, second string) {
		claims := []references.Claim{{Type: references.LegalSection, Text: first, Target: second}, {Type: references.DocumentMention, Text: second}}
		found, dropped := references.Locate(text, claims)
		if len(found)+len(dropped) != len(claims) {
			t.Fatalf("%d found and %d dropped of %d", len(found), len(dropped), len(claims))
		}
		checkSpans(t, text, references.Merge(found, references.Find(text)))
	})
}

func BenchmarkMerge(b *testing.B) {
	var all []references.Reference
	for i := range 100_000 {
		all = append(all, references.Reference{Kind: references.Document, Text: fmt.Sprint(i), From: i * 7 % 300_000, To: i*7%300_000 + 1 + i%50})
	}
	for b.Loop() {
		references.Merge(all)
	}
}
