package references_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/research/references"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // kind, text and, if there is one, target
	}{
		// German laws.
		{"Das regelt § 5 Abs. 2 UWG.", []string{"law|§ 5 Abs. 2 UWG|UWG"}},
		{"(vgl. §§ 54, 55 des Energiesteuergesetzes)", []string{"law|§§ 54, 55 des Energiesteuergesetzes|Energiesteuergesetz"}},
		{"Art. 2 Abs. 1 in Verbindung mit Art. 20 Abs. 3 GG gilt.", []string{"law|Art. 2 Abs. 1 in Verbindung mit Art. 20 Abs. 3 GG|GG"}},
		{"Nach § 3 Satz 1 Nr. 4 Buchst. a SGB XI ist", []string{"law|§ 3 Satz 1 Nr. 4 Buchst. a SGB XI|SGB XI"}},
		{"Art. 69 EPÜ bezieht sich", []string{"law|Art. 69 EPÜ|EPÜ"}},
		{"obsiegen (SGG § 184 Abs 1), ist", []string{"law|SGG § 184 Abs 1|SGG"}},
		{"§ 823\nAbs. 1 BGB", []string{"law|§ 823\nAbs. 1 BGB|BGB"}},
		{"§ 1a des Arbeitsschutzgesetzes vom 7. August 1996 (BGBl. I S. 1246) gilt", []string{"law|§ 1a des Arbeitsschutzgesetzes|Arbeitsschutzgesetz"}},
		{"Anlage 2, § 5 UWG und § 25, § 13 Abs. 1", []string{"section|Anlage 2", "law|§ 5 UWG|UWG", "section|§ 25", "section|§ 13 Abs. 1"}},
		{"Nr. 34 der Anlage 2 zum UStG", []string{"law|Nr. 34 der Anlage 2 zum UStG|UStG"}},
		{"Das Bürgerliche Gesetzbuch und das Arbeitszeitgesetz", []string{"law|Arbeitszeitgesetz|Arbeitszeitgesetz"}},
		{"Art. 5 Abs. 1 der Richtlinie 2008/50/EG und die Verordnung (EU) 2016/679", []string{
			"law|Art. 5 Abs. 1 der Richtlinie 2008/50/EG|Richtlinie 2008/50/EG", "law|Verordnung (EU) 2016/679|Verordnung (EU) 2016/679"}},
		{"(MüKo-StPO / Wenske, § 267 Rn. 79 ff.)", nil},
		{"Die Regelung in § 12 bleibt; siehe auch § 14 Absatz 2.", []string{"section|§ 12", "section|§ 14 Absatz 2"}},
		{"# § 1 Anmeldung\n\n## § 2 Fristen\nNach § 1 gilt: #§ 3\n### Chapter 4\n", []string{"section|§ 1", "section|§ 3"}},
		{"§ 3 des Mietvertrages", []string{"section|§ 3 des Mietvertrages|Mietvertrag"}},
		{"Art. 4 der Charta, § 7 der gesetz, BSG 30", []string{"law|Art. 4 der Charta|Charta", "section|§ 7"}},
		{"§ 2 Abs. 1 Satz 1 Halbs. 2 BetrAVG, §§ 1, 2 Nr. 3 und 4 bis 6 SGB V", []string{
			"law|§ 2 Abs. 1 Satz 1 Halbs. 2 BetrAVG|BetrAVG", "law|§§ 1, 2 Nr. 3 und 4 bis 6 SGB V|SGB V"}},
		{"Der Preis ist 5 EUR, das Gesetz ist alt, der BGH auch.", nil},
		{"Am 3. Mai 2020 um 5 Uhr kamen 12 Personen.", nil},

		// English acts.
		{"section 5 of the Data Protection Act 2018 applies", []string{"law|section 5 of the Data Protection Act 2018|Data Protection Act 2018"}},
		{"Under the Health and Safety at Work Act 1974 employers", []string{"law|Health and Safety at Work Act 1974|Health and Safety at Work Act 1974"}},
		{"Article 6(1)(f) GDPR and Article 28 of the GDPR", []string{"law|Article 6(1)(f) GDPR|GDPR", "law|Article 28 of the GDPR|GDPR"}},
		{"Regulation (EU) 2016/679 replaced Directive 95/46/EC.", []string{"law|Regulation (EU) 2016/679|Regulation (EU) 2016/679", "law|Directive 95/46/EC|Directive 95/46/EC"}},
		{"They act in 2018 under no code.", nil},

		// Parts of documents.
		{"See Section 4.2 and chapter 3.", []string{"section|Section 4.2", "section|chapter 3"}},
		{"See Section 4.2 of the Safety Manual.", []string{"section|Section 4.2 of the Safety Manual|Safety Manual"}},
		{"as in section 4.2(b) of the safety manual, wear", []string{"section|section 4.2(b) of the safety manual|safety manual"}},
		{"Annex B and Appendix 2 of “Charging at Work” apply", []string{"section|Annex B", "section|Appendix 2 of “Charging at Work”|Charging at Work"}},
		{"Abschnitt 4.2 des Wartungshandbuchs und Kapitel 3", []string{"section|Abschnitt 4.2 des Wartungshandbuchs|Wartungshandbuch", "section|Kapitel 3"}},
		{"Ziffer 3.1 der Arbeitsanweisung AA-12 gilt", []string{"section|Ziffer 3.1 der Arbeitsanweisung AA-12|Arbeitsanweisung AA-12"}},
		{"Kapitel 5 der DIN EN ISO 9001:2015", []string{"section|Kapitel 5 der DIN EN ISO 9001:2015|DIN EN ISO 9001:2015"}},
		{"See Section 4.2 of the Fee Rules and Section 7 of the Berth Rules.", []string{
			"law|Section 4.2 of the Fee Rules|Fee Rules", "law|Section 7 of the Berth Rules|Berth Rules"}},
		{"Article 5(1)(c) of the GDPR and Recital 39", []string{"law|Article 5(1)(c) of the GDPR|GDPR"}},
		{"Section 4.2 of the Safety Manual and Clause 7 of the Noise Manual", []string{
			"section|Section 4.2 of the Safety Manual|Safety Manual", "section|Clause 7 of the Noise Manual|Noise Manual"}},
		{"Annex A of the Charging Guideline, Chapter 3 of the Safety Manual", []string{
			"section|Annex A of the Charging Guideline|Charging Guideline", "section|Chapter 3 of the Safety Manual|Safety Manual"}},
		{"Section 2 of the Rules and Regulations Handbook", []string{"section|Section 2 of the Rules and Regulations Handbook|Rules and Regulations Handbook"}},
		{"In the last section of this part, an article says so; the chapter A part is a title.", nil},
		{"Der Teil ist neu, Abschnitt und Kapitel auch.", nil},

		{"RFC 9110, section 10.2.3; the Safety Manual, Annex B, and laut Wartungshandbuch, Abschnitt 4.2", []string{
			"section|RFC 9110, section 10.2.3|RFC 9110", "section|Safety Manual, Annex B|Safety Manual", "section|Wartungshandbuch, Abschnitt 4.2|Wartungshandbuch"}},

		{"the Safety Manual, section 5 of the Data Protection Act 2018, and ISO 9001, Anlage 2 zum UStG", []string{
			"document|Safety Manual|Safety Manual", "law|section 5 of the Data Protection Act 2018|Data Protection Act 2018",
			"document|ISO 9001|ISO 9001", "law|Anlage 2 zum UStG|UStG"}},

		// Documents.
		{"ISO 9001, ISO/IEC 27001:2013 and DIN 4102-1 apply.", []string{
			"document|ISO 9001|ISO 9001", "document|ISO/IEC 27001:2013|ISO/IEC 27001:2013", "document|DIN 4102-1|DIN 4102-1"}},
		{"RFC 2119 and DGUV Vorschrift 1", []string{"document|RFC 2119|RFC 2119", "document|DGUV Vorschrift 1|DGUV Vorschrift 1"}},
		{"The Travel Expense Policy says so; see “Charging at Work”.", []string{"document|Travel Expense Policy|Travel Expense Policy", "document|“Charging at Work”|Charging at Work"}},
		{"laut Reisekostenrichtlinie und gemäß der Arbeitsanweisung AA-12", []string{"document|Reisekostenrichtlinie|Reisekostenrichtlinie", "document|Arbeitsanweisung AA-12|AA-12"}},
		{"siehe „Handbuch Gefahrstoffe“, Seite 3", []string{"document|„Handbuch Gefahrstoffe“|Handbuch Gefahrstoffe"}},
		{"as in \"Recent\", of \"March 5, 2026\" and “INT”; see “Ladders”", []string{"document|“Ladders”|Ladders"}},
		{"Generate Report\n# Analysis Report\nNot in the Annual Report.", []string{"document|Annual Report|Annual Report"}},
		{"He said \"Good morning to you\" and left; the policy is old. Eine Richtlinie fehlt.", nil},

		// What a text cited before is in no registry.
		{"Id. at 5. Foo, supra, at 7. Ibid. Benkard, a. a. O., und BGH aaO; ebd. S. 3", nil},

		// Addresses.
		{"See https://example.com/a_(b)?x=1&y=2. Or (www.example.org/x).", []string{"url|https://example.com/a_(b)?x=1&y=2|https://example.com/a_(b)?x=1&y=2", "url|www.example.org/x|www.example.org/x"}},
		{"http:// and https are protocols", nil},

		// Works of a list of sources: a model finds them.
		{"as shown in [12], by Kandel et al. (2021), a[1] is [2](https://example.com)", []string{"url|https://example.com|https://example.com"}},

		{"", nil},
		{"\xff\xfe § \xff 5 § 5", []string{"section|§ 5"}},
	} {
		var got []string
		for _, r := range references.Find(c.text) {
			entry := string(r.Kind) + "|" + r.Text
			if r.Target != "" {
				entry += "|" + r.Target
			}
			got = append(got, entry)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range append(hostile(200), "§ 5 Abs. 2 UWG", "Section 4.2 of the Safety Manual", "„Handbuch“ [12] (Meier, 2019)",
		"https://example.com/ä", "Art. 5 GG\u00a0§ 5\xff") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSpans(t, text, references.Find(text)) })
}

func checkSpans(t *testing.T, text string, found []references.Reference) {
	t.Helper()
	end := 0
	for _, r := range found {
		if r.From < end || r.To <= r.From || r.To > len(text) || text[r.From:r.To] != r.Text || r.Kind == "" {
			t.Fatalf("%q: the span of %+v is wrong; the one before ends at %d", text, r, end)
		}
		if utf8.ValidString(text) && !utf8.ValidString(r.Text+r.Target+r.Part) {
			t.Fatalf("%q: %+v is not UTF-8", text, r)
		}
		end = r.To
	}
}

// hostile returns texts of about n bytes for which a search could take long.
func hostile(n int) []string {
	var out []string
	for _, unit := range []string{
		"§ 1, ", "§ ", "§ 5 Abs. ", "§ 5 i. V. m. ", "§§ 1 des ", "Art. 1 Gesetz über ", "Gesetz zur ", "A", "Aa ", "Aen ", "Gesetz", "(", "[1, ", "\"A", "„A ",
		"1 A. ", "1 U.S. ", "1 ", "a. ", "Id ", "Section 1 of the A ", "Section 1, ", "Act ", "A of the ", "Cal. Code ", "Cal. A. ", "www.", "www.(", "http://x)", "BGH ", "BGH, Urteil der A ",
		"vom 1. 1. 2000 ", "BVerfGE 1, 1; 1, ", "NJW 2000, 1, ", "Kapitel 1 der ", "Nr. 1 der ", "Handbuch A-", "ISO ", "DIN EN ISO/", "(A, 2000; ", "A, A and ", "\u00a0", "ä§", "A-A-A-", "Policy A ", "A A A Policy ",
	} {
		out = append(out, strings.Repeat(unit, n/len(unit)+1))
	}
	return out
}

// BenchmarkFindHostile reads each hostile text of 1 MB. The slowest one is reported.
func BenchmarkFindHostile(b *testing.B) {
	for _, text := range hostile(1 << 20) {
		b.Run(strings.TrimSpace(text[:min(len(text), 12)]), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				references.Find(text)
			}
		})
	}
}

// BenchmarkFindProse reads 1 MB without references, and with one in each sentence.
func BenchmarkFindProse(b *testing.B) {
	for name, sentence := range map[string]string{
		"without": "The pump runs at night, because power is cheap then, and the operator Meier checks the oil every morning. Die Pumpe läuft nachts. ",
		"with":    "The pump runs at night (Section 4.2 of the Safety Manual), and Meier checks the oil. Nach § 5 Abs. 2 ArbSchG läuft die Pumpe nachts. ",
	} {
		text := strings.Repeat(sentence, 1<<20/len(sentence))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				references.Find(text)
			}
		})
	}
}
