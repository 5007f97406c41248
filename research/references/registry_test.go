package references_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/research/references"
)

func registry(tb testing.TB, documents ...references.RegistryDocument) *references.Registry {
	tb.Helper()
	raw, err := json.Marshal(map[string]any{"documents": documents})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := references.ReadRegistry(strings.NewReader(string(raw)))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestResolve(t *testing.T) {
	doc := func(id, name string, synonyms ...string) references.RegistryDocument {
		return references.RegistryDocument{ID: id, Name: name, Synonyms: synonyms, Collection: strings.TrimRight(id, "0123456789.")}
	}
	r := registry(t,
		doc("man1", "Safety Manual", "SM", "Sicherheitshandbuch"),
		doc("man2", "Operations Manual", "Q"),
		doc("law1", "Straßenverkehrs-Ordnung", "StVO", "Gefahrgutverordnung Straße"),
		doc("law2", "Sozialgesetzbuch Fünftes Buch", "SGB V"),
		doc("law3", "Sozialgesetzbuch Sechstes Buch", "SGB VI"),
		doc("std1", "ISO 9001"),
		doc("std2", "Annex A of the Charging Guideline"),
		doc("hr1", "Travel policy north"),
		doc("hr2", "Travel policy south"),
	)
	type outcome struct {
		ID, Tier, Name string
		Ratio          string
		Candidates     string
	}
	for _, c := range []struct {
		name        string
		collections []string
		want        outcome
	}{
		{"Safety Manual", nil, outcome{ID: "man1", Tier: "exact", Name: "safety manual", Ratio: "1.000"}},
		{"  safety\n MANUAL. ", nil, outcome{ID: "man1", Tier: "exact", Name: "safety manual", Ratio: "1.000"}},
		{"STVO", nil, outcome{ID: "law1", Tier: "exact", Name: "stvo", Ratio: "1.000"}},
		{"Strassenverkehrs Ordnung", nil, outcome{ID: "law1", Tier: "exact", Name: "strassenverkehrs ordnung", Ratio: "1.000"}},
		{"Sozialgesetzbuch Funftes Buch", nil, outcome{ID: "law2", Tier: "exact", Name: "sozialgesetzbuch funftes buch", Ratio: "1.000"}},
		{"Safty Manual", nil, outcome{ID: "man1", Tier: "fuzzy", Name: "safety manual", Ratio: "0.960"}},
		{"Sicherheitshandbuches", nil, outcome{ID: "man1", Tier: "fuzzy", Name: "sicherheitshandbuch", Ratio: "0.950"}},
		{"Sozialgesetzbuch Fuenftes Buch", nil, outcome{ID: "law2", Tier: "fuzzy", Name: "sozialgesetzbuch funftes buch", Ratio: "0.983"}},

		// One letter is a name only if it is one exactly.
		{"Q", nil, outcome{ID: "man2", Tier: "exact", Name: "q", Ratio: "1.000"}},
		{"M", nil, outcome{}},
		{"S", nil, outcome{}},
		{"SMX", nil, outcome{}},

		// Numbers, numerals and single letters make another name.
		{"ISO 9002", nil, outcome{}},
		{"IS0 9001", nil, outcome{}},
		{"ISO-9001", nil, outcome{ID: "std1", Tier: "exact", Name: "iso 9001", Ratio: "1.000"}},
		{"SGB VII", nil, outcome{}},
		{"Annex B of the Charging Guideline", nil, outcome{}},
		{"Annex A of the Charging Guidelines", nil, outcome{ID: "std2", Tier: "fuzzy", Name: "annex a of the charging guideline", Ratio: "0.985"}},

		// Parts are whole words.
		{"the Safety Manual for all plants of the group", nil, outcome{ID: "man1", Tier: "substring", Name: "safety manual", Ratio: "0.448"}},
		{"Charging Guideline", nil, outcome{ID: "std2", Tier: "substring", Name: "annex a of the charging guideline", Ratio: "0.706"}},
		{"arging Guide", nil, outcome{}},
		{"ISO 9001:2015", nil, outcome{ID: "std1", Tier: "substring", Name: "iso 9001", Ratio: "0.762"}},

		// What is not certain is reported.
		{"Manual", nil, outcome{Tier: "substring", Ratio: "0.632", Candidates: "man1 man2"}},
		{"Travel policy", nil, outcome{Tier: "substring", Ratio: "0.812", Candidates: "hr1 hr2"}},
		{"Travel policy", []string{"hr"}, outcome{Tier: "substring", Ratio: "0.812", Candidates: "hr1 hr2"}},
		{"the chapters of the Safety Manual and of the Operations Manual", nil, outcome{Tier: "substring", Ratio: "0.347", Candidates: "man1 man2"}},

		// Other collections are not searched.
		{"StVO", []string{"man", "law"}, outcome{ID: "law1", Tier: "exact", Name: "stvo", Ratio: "1.000"}},
		{"StVO", []string{"man"}, outcome{}},
		{"Safty Manual", []string{"law"}, outcome{}},
		{"Manual", []string{"law"}, outcome{}},

		{"", nil, outcome{}},
		{" .§ ", nil, outcome{}},
		{"\xff\xfe", nil, outcome{}},
		{"Snow report", nil, outcome{}},
		{strings.Repeat("Safety Manual ", 100), nil, outcome{}},
	} {
		m, ok := r.Resolve(c.name, c.collections...)
		got := outcome{ID: m.Document.ID, Tier: string(m.Tier), Name: m.Name}
		if m.Ratio > 0 {
			got.Ratio = fmt.Sprintf("%.3f", m.Ratio)
		}
		var candidates []string
		for _, d := range m.Candidates {
			candidates = append(candidates, d.ID)
		}
		got.Candidates = strings.Join(candidates, " ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Resolve(%q, %q) (-want +got):\n%s", c.name, c.collections, diff)
		}
		if ok != (m.Document.ID != "") {
			t.Errorf("Resolve(%q) returned %v with document %q", c.name, ok, m.Document.ID)
		}
	}
}

// Names that the registry lacks resolve to no other document, however much of their
// words is the same, and names with errors resolve to the document that is meant.
func TestResolveAbsentAndMisspelled(t *testing.T) {
	var documents []references.RegistryDocument
	for _, name := range []string{
		"Lagerordnung", "Hausordnung", "Noise Manual", "Safety Manual", "Travel Policy North", "Quantity Handbook", "Welding Guideline",
		"Reisekostenrichtlinie", "Betriebsvereinbarung Arbeitszeit", "Fire Protection Standard", "Forklift Operator Handbook", "Datenschutzkonzept",
	} {
		documents = append(documents, references.RegistryDocument{ID: name, Name: name})
	}
	r := registry(t, documents...)
	for _, absent := range []string{
		"Gewerbeordnung", "Bauordnung", "Prüfungsordnung", "Crane Manual", "Sales Manual", "Travel Policy South", "Travel Policy East",
		"Quality Handbook", "Wedding Guideline Book", "Reisezeitrichtlinie", "Kostenrichtlinie", "Betriebsvereinbarung Urlaub",
		"Betriebsvereinbarung Homeoffice", "Water Protection Standard", "Fire Inspection Standard", "Crane Operator Handbook",
		"Forklift Driver Handbook", "Datensicherungskonzept", "Brandschutzkonzept", "Safety Guideline", "Noise Handbook",
	} {
		if m, ok := r.Resolve(absent); ok || len(m.Candidates) > 0 {
			t.Errorf("%s: %+v", absent, m)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	all, right := 0, 0
	for range 2000 {
		d := documents[random.IntN(len(documents))]
		letters := []rune(d.Name)
		switch at := random.IntN(len(letters) - 1); random.IntN(4) {
		case 0:
			letters = slices.Delete(letters, at, at+1)
		case 1:
			letters = slices.Insert(letters, at, rune('a'+random.IntN(26)))
		case 2:
			letters[at], letters[at+1] = letters[at+1], letters[at]
		default:
			letters[at] = rune('a' + random.IntN(26))
		}
		m, ok := r.Resolve(string(letters))
		if all++; ok && m.Document.ID == d.ID {
			right++
		} else if ok {
			t.Errorf("%s resolves to %s", string(letters), m.Document.ID)
		}
	}
	if right < all*97/100 {
		t.Errorf("%d of %d misspelled names are found", right, all)
	}
}

// What tells a name apart from the one that it has in it or resembles is not ignored.
func TestResolveLikeNames(t *testing.T) {
	var documents []references.RegistryDocument
	for _, name := range []string{
		"Safety Manual", "Safety Manual 2021", "Crane Safety Manual", "Code of Conduct", "Handbook", "Employee Handbook", "Noise Manual", "Bundesdatenschutzgesetz", "Betriebshandbuch",
		"Gewässerordnung", "Prüfordnung", "Hausordnung",
	} {
		documents = append(documents, references.RegistryDocument{ID: name, Name: name})
	}
	r := registry(t, documents...)
	for name, want := range map[string]string{
		"Safety Manual 2022":              "",
		"Safety Manual 2021":              "Safety Manual 2021",
		"the Safety Manual":               "Safety Manual",
		"Safety Manual of the port":       "Safety Manual",
		"Fire Safety Manual":              "",
		"our Crane Safety Manual":         "Crane Safety Manual",
		"Supplier Code of Conduct":        "Code of Conduct",
		"Noise Manual 2022":               "Noise Manual",
		"Student Handbook":                "",
		"the Handbook":                    "Handbook",
		"the Employee Handbook":           "Employee Handbook",
		"Landesdatenschutzgesetz":         "",
		"Bnudesdatenschutzgesetz":         "Bundesdatenschutzgesetz",
		"Undesdatenschutzgesetz":          "Bundesdatenschutzgesetz",
		"Vertriebshandbuch":               "",
		"eBtriebshandbuch":                "Betriebshandbuch",
		"Wasserordnung":                   "",
		"Gewaesserordnung":                "Gewässerordnung",
		"Prüferordnung":                   "",
		"Prüfordnungen":                   "Prüfordnung",
		"Hausordnung der Firma Schmidt 7": "Hausordnung",
	} {
		if m, _ := r.Resolve(name); m.Document.ID != want {
			t.Errorf("%s: %+v, want %q", name, m, want)
		}
	}
}

// A base of many names that are alike: those of the other half are absent.
func TestResolveManyLikeNames(t *testing.T) {
	var names []string
	for _, list := range [][2]string{
		{`Gewerbe Lager Haus Bau Garten Prüfungs Bade Wasser Wald Markt Hafen Reise Kosten Daten Arbeits Sicherheits Brand Umwelt Personal
			Urlaubs Wartungs Betriebs Vertriebs Einkaufs Verkaufs Qualitäts Mess Produktions Logistik Transport Verpackungs Lackier Schweiß
			Montage Kran Stapler Lärm Strahlen Energie Abfall Labor Kantinen Besucher Notfall Telefon Netz Kunden Liefer Steuer Zoll Export
			Import Bank Vertrags Miet Pacht Schul Hoch Land Landes Bundes Kreis Stadt`,
			"ordnung richtlinie handbuch anweisung vorschrift satzung gesetz konzept plan bericht vertrag leitfaden"},
		{`Noise Crane Safety Travel Quality Quantity Fire Tire Water Waste Energy Employee Employer Student Harbour Market Marketing Sales
			Purchase Welding Wedding Cleaning Charging Forklift Visitor Vendor Customer Privacy Piracy Payment Payroll Leave Lease Loan
			Risk Audit Export Import`, " Manual| Handbook| Guideline| Policy| Report| Contract| Standard| Protocol| Code"},
	} {
		for first := range strings.FieldsSeq(list[0]) {
			for _, last := range strings.FieldsFunc(list[1], func(r rune) bool { return r == '|' || r == ' ' && list[1][0] != ' ' }) {
				names = append(names, first+last)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var documents []references.RegistryDocument
	for _, name := range names[:len(names)/2] {
		documents = append(documents, references.RegistryDocument{ID: name, Name: name})
	}
	r := registry(t, documents...)
	for _, absent := range names[len(names)/2:] {
		if m, ok := r.Resolve(absent); ok {
			t.Errorf("%s resolves to %s (%s)", absent, m.Document.ID, m.Tier)
		}
	}
	found := 0
	for _, d := range documents {
		letters := []rune(d.Name)
		at := len(letters)/2 - 1
		letters[at], letters[at+1] = letters[at+1], letters[at]
		if m, ok := r.Resolve(string(letters)); ok && m.Document.ID == d.ID {
			found++
		} else if ok {
			t.Errorf("%s resolves to %s (%s)", string(letters), m.Document.ID, m.Tier)
		}
	}
	t.Logf("%d absent names, %d of %d misspelled ones found", len(names)-len(documents), found, len(documents))
	if found < len(documents)*97/100 {
		t.Errorf("%d of %d misspelled names are found", found, len(documents))
	}
}

// A base of one document, and one of 5,000 whose names differ in a number.
func TestResolveSizes(t *testing.T) {
	one := registry(t, references.RegistryDocument{ID: "only", Name: "Lagerordnung"})
	for name, want := range map[string]string{
		"Lagerordnung": "only", "die Lagerordnung": "only", "Lagerordnungen": "only", "Lagerordung": "only",
		"Gewerbeordnung": "", "Ordnung": "", "Lagerhaltungsordnung": "", "Lagervertrag": "",
	} {
		if m, _ := one.Resolve(name); m.Document.ID != want {
			t.Errorf("%s: %+v, want %q", name, m, want)
		}
	}
	kinds := []string{"Maintenance Manual", "Emergency Plan", "Inspection Report", "Wartungsanleitung"}
	name := func(i int) string { return fmt.Sprint(kinds[i%4], " for Pump Station ", 1000+i/4) }
	var documents []references.RegistryDocument
	for i := range 5000 {
		documents = append(documents, references.RegistryDocument{ID: name(i), Name: name(i)})
	}
	many := registry(t, documents...)
	for i := range 6000 {
		m, ok := many.Resolve(name(i))
		if ok != (i < 5000) || ok && m.Document.ID != name(i) {
			t.Errorf("%s: %+v", name(i), m)
		}
	}
	if m, ok := many.Resolve("Maintenance Manual"); ok || len(m.Candidates) < 2 {
		t.Errorf("a part of all names: %+v", m)
	}
}

func TestReadRegistryRefuses(t *testing.T) {
	long := strings.Repeat("x", 301)
	for _, c := range []struct{ json, path, part string }{
		{`{"documents":[{"id":"a","name":"A"}]} x`, "", "not valid"},
		{`{"documents":[{"id":"a","name":"A","title":"B"}]}`, "", `unknown field "title"`},
		{`{"document":[]}`, "", `unknown field "document"`},
		{`{"documents":[]}`, "/documents", "no documents"},
		{`{}`, "/documents", "no documents"},
		{``, "", "not valid"},
		{`{"documents":[{"id":"a","name":"A"},{"id":" ","name":"B"}]}`, "/documents/1/id", "no id"},
		{`{"documents":[{"id":"a","name":"A"},{"id":"a","name":"B"}]}`, "/documents/1/id", `"a"`},
		{`{"documents":[{"id":"a","name":""}]}`, "/documents/0/name", "no letter or digit"},
		{`{"documents":[{"id":"a","name":"A","synonyms":["B","§ -"]}]}`, "/documents/0/synonyms/1", "no letter or digit"},
		{`{"documents":[{"id":"a","name":"A","synonyms":["Größe"]},{"id":"b","name":"B","synonyms":["Groesse"]}]}`, "", ""},
		{`{"documents":[{"id":"a","name":"A","synonyms":["Maße"]},{"id":"b","name":"B","synonyms":["C","MASSE"]}]}`, "/documents/1/synonyms/1", `"a"`},
		{`{"documents":[{"id":"a","name":"` + long + `"}]}`, "/documents/0/name", "300"},
		{`{"documents":[{"id":"` + long + `","name":"A"}]}`, "/documents/0/id", "300"},
	} {
		_, err := references.ReadRegistry(strings.NewReader(c.json))
		if c.part == "" {
			if err != nil {
				t.Errorf("ReadRegistry(%s) returned %v", c.json, err)
			}
			continue
		}
		var refused *refusal.Error
		if !errors.As(err, &refused) || !errors.Is(err, references.ErrInvalidRegistry) {
			t.Errorf("ReadRegistry(%.100s) returned %v", c.json, err)
		} else if p := refused.Problems[0]; len(refused.Problems) != 1 || p.Path != c.path || !strings.Contains(p.Message, c.part) {
			t.Errorf("ReadRegistry(%.100s) returned %+v, want %q at %q", c.json, refused.Problems, c.part, c.path)
		}
	}
}

func TestReadRegistryKeepsRepeatedSynonymsOfOneDocument(t *testing.T) {
	r := registry(t, references.RegistryDocument{ID: "a", Name: "Safety Manual", Synonyms: []string{"safety-manual", "SM", "SM"}})
	if m, ok := r.Resolve("sm"); !ok || m.Document.ID != "a" {
		t.Errorf("Resolve returned %v", m)
	}
}

func TestReadRegistryReportsSeveralProblems(t *testing.T) {
	text := `{"documents":[` + strings.Repeat(`{"id":"","name":""},`, 50) + `{"id":"a","name":"A"}]}`
	_, err := references.ReadRegistry(strings.NewReader(text))
	var refused *refusal.Error
	if !errors.As(err, &refused) || len(refused.Problems) != 20 {
		t.Errorf("ReadRegistry returned %v", err)
	}
}

func TestNilRegistry(t *testing.T) {
	var r *references.Registry
	if m, ok := r.Resolve("Safety Manual"); ok || len(r.Documents()) > 0 {
		t.Errorf("Resolve returned %v", m)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(`{"documents":[{"id":"a","name":"Safety Manual","synonyms":["SM"]},{"id":"b","name":"Größe"}]}`, "Safty manual")
	f.Add(`{"documents":[{"id":"a","name":"A 1"},{"id":"b","name":"ß²\u0301"}]}`, "manual of ss\xff")
	f.Fuzz(func(t *testing.T, text, name string) {
		r, err := references.ReadRegistry(strings.NewReader(text))
		if err != nil {
			return
		}
		m, ok := r.Resolve(name)
		known := slices.ContainsFunc(r.Documents(), func(d references.RegistryDocument) bool { return d.ID == m.Document.ID })
		if ok != known || ok && len(m.Candidates) > 0 || m.Ratio < 0 || m.Ratio > 1 || m.Tier == references.Fuzzy && m.Ratio < 0.7 {
			t.Fatalf("Resolve(%q) in %s returned %+v, %v", name, text, m, ok)
		}
		for _, d := range r.Documents() {
			if m, ok := r.Resolve(d.Name); !ok || m.Document.ID != d.ID || m.Tier != references.Exact {
				t.Fatalf("Resolve(%q) in %s returned %+v", d.Name, text, m)
			}
		}
	})
}

func BenchmarkResolve100k(b *testing.B) {
	first := strings.Fields("Safety Operations Travel Charging Purchase Quality Handover Storage Welding Cleaning")
	second := strings.Fields("Manual Guideline Policy Report Contract Order Instruction Handbook Standard Protocol")
	var documents []references.RegistryDocument
	for i := range 100_000 {
		documents = append(documents, references.RegistryDocument{
			ID: fmt.Sprint(i), Name: fmt.Sprintf("%s %s of plant %d", first[i%10], second[i/10%10], i/100),
		})
	}
	plants := registry(b, documents...)
	// Names of the same letters in another order, of which each has to be compared.
	random := rand.New(rand.NewPCG(1, 2))
	for i := range documents {
		letters := []byte("abcdefghijklmnopqrstuvwxyz")
		random.Shuffle(len(letters), func(a, b int) { letters[a], letters[b] = letters[b], letters[a] })
		documents[i].Name = string(letters) + " of the same"
	}
	alike := registry(b, documents...)
	for _, c := range []struct {
		name, asked string
		registry    *references.Registry
	}{
		{"exact", "Safety Manual of plant 77", plants},
		{"fuzzy", "Safty Manual of plant 77", plants},
		{"substring", "the chapters of the Safety Manual of plant 77 on ladders", plants},
		{"none", "Minutes of the meeting of shareholders", plants},
		{"alike", "zyxwvutsrqponmlkjihgfedcba of the same", alike},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.registry.Resolve(c.asked)
			}
		})
	}
}
