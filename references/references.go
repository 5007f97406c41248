// Package references finds in German and English texts what they refer to: a
// section of a law or a document, a decision of a court, another document, a URL.
//
//	for _, r := range references.Find("See Section 4.2 and § 5 Abs. 2 UWG.") {
//		fmt.Println(r.Kind, r.Text) // section Section 4.2, law § 5 Abs. 2 UWG
//	}
//
// It compares words and signs with patterns, and knows no list of laws or courts
// reports. The same text gives the same references.
package references

import (
	"cmp"
	"slices"
	"strings"
)

// A Kind is what a reference refers to.
type Kind string

const (
	Law      Kind = "law"      // a provision of a law, or a law: § 5 Abs. 2 UWG, Ohio Rev. Code Ann. § 5739.02
	Case     Kind = "case"     // a decision of a court: BGH, Urteil vom 4.2.2010 – Xa ZR 36/08, 1 U.S. 12
	Section  Kind = "section"  // a part of a document: Section 4.2, Kapitel 3, Anhang B
	Document Kind = "document" // a document by its name or number: "Safety Manual", ISO 9001
	Journal  Kind = "journal"  // an article: 1 Minn. L. Rev. 1
	Earlier  Kind = "earlier"  // what the text cited before: Id., supra, a. a. O.
	URL      Kind = "url"

	Numbered   Kind = "numbered"    // an entry of the list of sources by its number: [12], [3, 5-7]
	AuthorYear Kind = "author_year" // one by its author and year: Kandel et al. (2021)
)

// A Reference is a part of a text that refers to something.
type Reference struct {
	Kind Kind `json:"kind"`

	// Text is the part of the text, from byte From to byte To.
	Text string `json:"text"`
	From int    `json:"from"`
	To   int    `json:"to"`

	// Target is the law or the document that Text names, in one spelling: "UWG" for
	// "§ 5 UWG", and for "Section 4.2 of the Safety Manual" the name of the manual.
	// It is empty if Text names none, such as "Section 4.2".
	Target string `json:"target,omitempty"`

	// Part is the part of the target: "§ 5 Abs. 2", "Section 4.2". It may be empty.
	Part string `json:"part,omitempty"`
}

// Key returns the same text for references of one kind to the same part of the same
// target, whatever their spaces and letter case.
func (r Reference) Key() string {
	part := strings.NewReplacer(" ", "", ".", "", "\u00a0", "", "\u202f", "").Replace(r.Part)
	return string(r.Kind) + ":" + strings.ToLower(strings.Join(strings.Fields(cmp.Or(r.Target, r.Text)), " ")+":"+part)
}

// Find returns the references of a text in their order. They do not overlap. Its
// time grows linearly with the text.
func Find(text string) []Reference {
	var found []Reference
	for _, rule := range []func(string) []Reference{germanLaws, euLaws, namedLaws, statutes, urls, germanCases, reports, earlier, parts, documents} {
		for _, r := range rule(text) {
			if !slices.ContainsFunc(found, func(o Reference) bool { return r.From < o.To && o.From < r.To }) {
				found = append(found, r)
			}
		}
	}
	slices.SortFunc(found, func(a, b Reference) int { return cmp.Compare(a.From, b.From) })
	return found
}

// reference returns the reference text[from:to].
func reference(kind Kind, text string, from, to int, target, part string) Reference {
	return Reference{kind, text[from:to], from, to, strings.Join(strings.Fields(target), " "), strings.Join(strings.Fields(part), " ")}
}
