package research

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

func TestMethod(t *testing.T) {
	followed := func(r Reference) Reference { r.Followed = true; return r }
	report := &Report{
		Tasks: []TaskReport{
			{
				Description: "find the *fee*", Queries: []string{"berth fee", "fee | night"}, Documents: []string{"fees.md", "port_rules.md"}, Iterations: 2,
				References: []Reference{
					followed(Reference{Text: "the Tariff"}),
					followed(Reference{Text: "the Tariff"}),
					followed(Reference{Text: "the Order", Candidates: []string{"a.md", "b.md"}, Found: 3}),
					followed(Reference{Text: "the Rules", Resolved: "rules.md"}),
					followed(Reference{Text: "the Manual", Found: 2}),
					{Text: "the Act"},
				},
				Gaps: []string{"Who pays?"},
			},
			{Description: "find the owner", Queries: []string{"owner"}, Iterations: 1},
		},
		Sources:     []Source{{Document: "fees.md"}, {Document: "fees.md"}},
		UnknownKeys: 2,
	}
	audit := &qed.CitationAudit{Claims: 3, Uncited: 1, Findings: []qed.CitationFinding{
		{Kind: qed.Uncited, Sentence: "It is free."}, {Kind: qed.WrongNumber, Sentence: "It is 7."}, {Kind: qed.WrongDate, Sentence: "It is 7."},
		{Kind: qed.UnknownKey},
	}}
	for language, want := range map[string]string{
		usertext.English: `## How this was researched

Only documents of these collections were searched: “port”.

1. find the \*fee\* (2 rounds of search)
   - Searched for: “berth fee”, “fee \| night”.
   - Read: fees.md, port_rules.md.
   - Mentioned, but not found: “the Tariff”, “the Order” (can be a.md, b.md).
   - Left open: “Who pays?”.
2. find the owner (one round of search)
   - Searched for: “owner”.
   - Nothing was found.

- Cited: fees.md.
- Read and not cited: port_rules.md.
- Statements compared with the passages that they cite: 3. Without a source: 1. With a number, a date or a quotation that their source does not have: 1.
- Citations of unknown sources that were left out: 2.`,
		usertext.German: `## Wie recherchiert wurde

Durchsucht wurden nur Dokumente dieser Sammlungen: „port“.

1. find the \*fee\* (2 Suchrunden)
   - Gesucht: „berth fee“, „fee \| night“.
   - Gelesen: fees.md, port_rules.md.
   - Genannt, aber nicht gefunden: „the Tariff“, „the Order“ (möglich sind a.md, b.md).
   - Offen geblieben: „Who pays?“.
2. find the owner (eine Suchrunde)
   - Gesucht: „owner“.
   - Es wurde nichts gefunden.

- Zitiert: fees.md.
- Gelesen und nicht zitiert: port_rules.md.
- Aussagen, die mit den zitierten Stellen verglichen wurden: 3. Ohne Quelle: 1. Mit einer Zahl, einem Datum oder einem Zitat, das nicht in der Quelle steht: 1.
- Weggelassene Verweise auf unbekannte Quellen: 2.`,
	} {
		if got := textTable.In(context.Background(), language).method(report, []string{"port"}, audit); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", language, got, want)
		}
	}
}

func TestMethodListsAtMostTwentyNames(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("%d.md", i))
	}
	report := &Report{Tasks: []TaskReport{{Description: "read", Queries: []string{"all"}, Documents: names, Iterations: 1}}}
	got := textTable.In(context.Background(), usertext.English).method(report, nil, nil)
	if !strings.Contains(got, "19.md, and 10 more.") || strings.Contains(got, "20.md") {
		t.Error(got)
	}
}
