package references_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed/research/references"
)

// The references of a text lead to the documents of a registry.
func Example() {
	names, err := references.ReadRegistry(strings.NewReader(`{"documents": [
		{"id": "safety-2021.pdf", "name": "Safety Manual", "synonyms": ["SM"]}
	]}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range references.Find("Ladders: Section 4.2 of the Safety Manual, and Section 9 of the Travel Policy.") {
		match, ok := names.Resolve(r.Target)
		if !ok {
			fmt.Printf("%s: no document\n", r.Text)
			continue
		}
		fmt.Printf("%s: %s in %s (%s)\n", r.Text, r.Part, match.Document.ID, match.Tier)
	}
	// Output:
	// Section 4.2 of the Safety Manual: Section 4.2 in safety-2021.pdf (exact)
	// Section 9 of the Travel Policy: no document
}

func ExampleFind() {
	text := "See Section 4.2 of the Safety Manual and § 5 Abs. 2 UWG, or https://example.com."
	for _, r := range references.Find(text) {
		fmt.Printf("%s: %s (%s)\n", r.Kind, r.Text, r.Target)
	}
	// Output:
	// section: Section 4.2 of the Safety Manual (Safety Manual)
	// law: § 5 Abs. 2 UWG (UWG)
	// url: https://example.com (https://example.com)
}

// What a model found is checked against the text before it is used.
func ExampleMerge() {
	text := "The rules on ladders of the plant handbook apply, and § 5 Abs. 2 ArbSchG."
	claims := []references.Claim{
		{Type: references.DocumentMention, Text: "rules on ladders of the plant handbook", Target: "plant handbook"},
		{Type: references.LegalSection, Text: "§ 7 ArbSchG"}, // not in the text
	}
	found, dropped := references.Locate(text, claims)
	for _, r := range references.Merge(references.Find(text), found) {
		fmt.Printf("%s: %s (%s)\n", r.Kind, r.Text, r.Target)
	}
	fmt.Println("dropped:", len(dropped))
	// Output:
	// document: rules on ladders of the plant handbook (plant handbook)
	// law: § 5 Abs. 2 ArbSchG (ArbSchG)
	// dropped: 1
}

func ExampleRegistry_Resolve() {
	r, err := references.ReadRegistry(strings.NewReader(`{"documents": [
		{"id": "safety-2021.pdf", "name": "Safety Manual", "synonyms": ["Sicherheitshandbuch"]},
		{"id": "travel.pdf", "name": "Travel Expense Policy"}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"safety manual", "Sicherheitshandbuches", "the Travel Expense Policy of all companies", "Annual Report"} {
		m, ok := r.Resolve(name)
		fmt.Printf("%v %s %s %.2f\n", ok, m.Document.ID, m.Tier, m.Ratio)
	}
	// Output:
	// true safety-2021.pdf exact 1.00
	// true safety-2021.pdf fuzzy 0.95
	// true travel.pdf substring 0.67
	// false   0.00
}
