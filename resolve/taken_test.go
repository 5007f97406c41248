package resolve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/resolve"
)

// called returns entities with the given names.
func called(names ...string) []resolve.Entity {
	list := make([]resolve.Entity, len(names))
	for i, n := range names {
		list[i] = resolve.Entity{Kind: "thing", Name: n, ID: fmt.Sprint(i)}
	}
	return list
}

// TestTaken checks which names are resolved, and that similar ones are not. An
// empty want means that none is.
func TestTaken(t *testing.T) {
	for _, tt := range []struct {
		term  string
		names []string
		want  string
	}{
		// Where numbers begin and end.
		{"Route 1.5", []string{"Route 15", "Route 2"}, ""}, {"Route 15", []string{"Route 1.5"}, ""}, {"Route 1.5", []string{"Route 1-5"}, ""},
		{"Size 1.0", []string{"Size 10"}, ""}, {"Size .5", []string{"Size 5"}, ""}, {"1.5 ton", []string{"15 ton"}, ""}, {"Dock 11-2", []string{"Dock 1-12"}, ""},
		{"A11-2", []string{"A1-12"}, ""}, {"Rack A11-2", []string{"Rack A1-12"}, ""}, {"12 3rd Street", []string{"123rd Street"}, ""}, {"Dock 123 456", []string{"Dock 123456"}, ""},
		{"Dock 123456", []string{"Dock 123 456"}, ""}, {"Size 1½", []string{"Size 11/2"}, ""}, {"Size 10²", []string{"Size 102"}, ""},
		{"route 1.5", []string{"Route 15", "Route 1.5"}, "Route 1.5"}, {"Size 0.5", []string{"Size .5", "Size 5"}, "Size .5"}, {"Size 1,5", []string{"Size 1.5"}, "Size 1.5"},
		{"Size 1 1/2", []string{"Size 1½"}, "Size 1½"}, {"Dock 11/2", []string{"Dock 11-2"}, "Dock 11-2"}, {"Release 2024.1.11", []string{"Release 2024-1-11"}, "Release 2024-1-11"},
		{"MRI3000", []string{"MRI-3000"}, "MRI-3000"}, {"Magnet 1.5 T", []string{"Magnet 1.5T"}, "Magnet 1.5T"}, {"Pier 3.", []string{"Pier 3"}, "Pier 3"},
		// The order of numbers.
		{"Voyage 2024-1-11", []string{"Voyage 2024-11-1"}, ""}, {"Dock 2-1", []string{"Dock 1-2"}, ""}, {"Berth 2 Terminal 3", []string{"Terminal 2 Berth 3"}, ""},
		{"Class A+ B", []string{"Class A B+"}, ""}, {"4 Terminal", []string{"Terminal 4"}, "Terminal 4"},
		// Signs.
		{"Floor -1", []string{"Floor 1", "Floor 2"}, ""}, {"Floor 1", []string{"Floor -1"}, ""}, {"Floor −1", []string{"Floor 1"}, ""}, {"Class A+", []string{"Class A"}, ""},
		{"Class A", []string{"Class A+"}, ""}, {"Class A-", []string{"Class A"}, ""}, {"C++", []string{"C#"}, ""}, {"C", []string{"C++", "C#"}, ""}, {"Blood AB-", []string{"Blood AB+"}, ""},
		{"Age >65", []string{"Age <65"}, ""}, {"Age >65", []string{"Age ≥65"}, ""}, {"Floor -1", []string{"Floor 1", "Floor -1"}, "Floor -1"}, {"floor 1", []string{"Floor -1", "Floor 1"}, "Floor 1"},
		{"class a+", []string{"Class A", "Class A+", "Class A-"}, "Class A+"}, {"Class A", []string{"Class A", "Class A+", "Class A-"}, "Class A"}, {"c#", []string{"C#", "C++"}, "C#"},
		{"Age >= 65", []string{"Age ≥65", "Age >65"}, "Age ≥65"}, {"Floor –1", []string{"Floor -1"}, "Floor -1"}, {"Johnson & Smith", []string{"Johnson and Smith"}, "Johnson and Smith"},
		{"Antwerp Bruges", []string{"Antwerp-Bruges"}, "Antwerp-Bruges"}, {"Antwerp – Bruges", []string{"Antwerp-Bruges"}, "Antwerp-Bruges"},
		// Roman numerals.
		{"Berth VII", []string{"Berth VIII", "Berth II"}, ""}, {"Phase XII", []string{"Phase XIII"}, ""}, {"Henry VIII", []string{"Henry VII"}, ""}, {"Phase X I", []string{"Phase XI"}, ""},
		{"Phase IIIa", []string{"Phase IIa"}, ""}, {"berth vii", []string{"Berth VIII", "Berth VII"}, "Berth VII"}, {"Bert VII", []string{"Berth VII", "Berth VIII"}, ""},
		// Names that differ by a letter.
		{"MSC Maria", []string{"MSC Marina"}, ""}, {"MSC Marina", []string{"MSC Maria"}, ""}, {"Hypertension", []string{"Hypotension"}, ""}, {"Hyperthyroidism", []string{"Hypothyroidism"}, ""},
		{"Homburg", []string{"Hamburg"}, ""}, {"Andersen", []string{"Anderson"}, ""}, {"Andersson", []string{"Anderson"}, ""}, {"Charlestown", []string{"Charleston"}, ""}, {"Kingstown", []string{"Kingston"}, ""},
		{"Jonson Ltd", []string{"Johnson Ltd"}, ""}, {"Hoffmann", []string{"Hoffman"}, ""}, {"Brian", []string{"Brain"}, ""}, {"Rоtterdam", []string{"Rotterdam"}, ""}, {"Marina", []string{"Marian", "Marine"}, ""},
		{"Port of Miamii", []string{"Port of Miami"}, "Port of Miami"}, {"Rotterdma", []string{"Rotterdam"}, "Rotterdam"}, {"Rottterdam", []string{"Rotterdam"}, "Rotterdam"},
		{"Hypetrension", []string{"Hypertension", "Hypotension"}, "Hypertension"}, {"MSC Maria", []string{"MSC Marina", "MSC Maria"}, "MSC Maria"},
		{"Martial Court", []string{"Marital Court", "Martial Arts"}, ""},
		// Plurals of names, and of words for the kind.
		{"Williams", []string{"William"}, ""}, {"William", []string{"Williams"}, ""}, {"St. John", []string{"St. John's"}, ""}, {"Saint Johns", []string{"Saint John"}, ""},
		{"St John", []string{"Saints John"}, ""}, {"7478", []string{"747-8"}, ""}, {"747 8", []string{"747-8"}, "747-8"}, {"Ever Given", []string{"Ever Givens"}, ""}, {"Things of William", []string{"Thing of William"}, "Thing of William"},
		// The legal form of a company may be left out, and another one may be another company.
		{"Weber AG", []string{"Weber GmbH"}, ""}, {"Kestrel Inc", []string{"Kestrel Ltd"}, ""}, {"Kestrel Co", []string{"Kestrel Corp"}, ""}, {"Weber GmbH & Co. KG", []string{"Weber AG & Co. KG"}, ""},
		{"Weber", []string{"Weber GmbH"}, "Weber GmbH"}, {"Weber GmbH", []string{"Weber"}, "Weber"}, {"Weber gmbh", []string{"Weber AG", "Weber GmbH"}, "Weber GmbH"},
		{"Kestrel Limited", []string{"Kestrel Ltd."}, "Kestrel Ltd."}, {"Kestrel Company", []string{"Kestrel Co"}, "Kestrel Co"}, {"The Weber GmbH", []string{"Weber GmbH"}, "Weber GmbH"}, {"the thing Weber", []string{"Weber GmbH"}, "Weber GmbH"},
		// Single letters, and abbreviations that are not used in names.
		{"Terminal E", []string{"Terminal East"}, ""}, {"Terminal E", []string{"Terminal East", "Terminal E"}, "Terminal E"}, {"Max Foods", []string{"Maximum Foods"}, ""},
		{"St John", []string{"Saint John"}, "Saint John"}, {"LAX", []string{"La X"}, ""}, {"EverGiven", []string{"Ever Given"}, "Ever Given"},
		// The name that is spelled like the term wins.
		{"San Jose", []string{"San José", "San Jose"}, "San Jose"}, {"San José", []string{"San José", "San Jose"}, "San José"}, {"san jose", []string{"San José", "San Jose"}, "San Jose"},
		{"TOTAL", []string{"Total", "TOTAL", "total"}, "TOTAL"}, {"ToTal", []string{"Total", "total"}, ""},
	} {
		t.Run(tt.term+" among "+strings.Join(tt.names, ", "), func(t *testing.T) {
			res, err := catalog(t, called(tt.names...), nil).Resolve(t.Context(), tt.term, "")
			if err != nil {
				t.Fatal(err)
			}
			taken := ""
			if res.Status == resolve.Resolved {
				taken = res.Candidates[0].Value.Name
			}
			if taken != tt.want {
				t.Errorf("taken is %q, want %q: %s", taken, tt.want, candidates(res))
			}
		})
	}
}

// TestAskedAbout checks that another spelling, plural or sign leads to a question.
func TestAskedAbout(t *testing.T) {
	for term, name := range map[string]string{
		"MSC Maria": "MSC Marina", "Hypertension": "Hypotension", "Homburg": "Hamburg", "Williams": "William", "Roterdam": "Rotterdam", "Class A+": "Class A", "Floor -1": "Floor 1",
		"Terminal E": "Terminal East", "Charlestown": "Charleston", "Port of Shangai": "Port of Shanghai",
	} {
		c := catalog(t, called(name, "Quite Another"), nil)
		if status, ids := lookUp(t, c, term, ""); status != resolve.Near || !slices.Equal(ids, []string{"0"}) {
			t.Errorf("%s is %s: %v", term, status, ids)
		}
	}
}

// TestLiteralAmongMany checks that the literal name is found among many similar ones.
func TestLiteralAmongMany(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, "Miami"+strings.Repeat("!", i))
	}
	c := catalog(t, called(names...), nil)
	for i, n := range names {
		if status, ids := lookUp(t, c, n, ""); status != resolve.Resolved || ids[0] != fmt.Sprint(i) {
			t.Errorf("%s is %s: %v", n, status, ids)
		}
	}
	alias := catalog(t, []resolve.Entity{{Name: "Total", ID: "0", Aliases: []string{"TOTAL"}}, {Name: "total", ID: "1"}}, nil)
	if status, ids := lookUp(t, alias, "TOTAL", ""); status != resolve.Resolved || ids[0] != "0" {
		t.Errorf("a literal alias is %s: %v", status, ids)
	}
}

// TestLongNames checks that all words of a long name count.
func TestLongNames(t *testing.T) {
	const twelve = "one two three four five six seven eight nine ten eleven twelve"
	long := "Ministry of Transport Infrastructure and Communications of the Federal Democratic Republic of Ethiopia Addis Ababa Office"
	many := strings.TrimSpace(strings.Repeat("w ", 24))
	for _, tt := range []struct {
		term  string
		names []string
		want  string
	}{
		{twelve, []string{twelve}, twelve}, {twelve + " thirteen branch 2", []string{twelve}, ""}, {twelve + " of the", []string{twelve + " of"}, ""}, {long, []string{long}, long},
		{many + " beta", []string{many + " alpha", many + " beta"}, many + " beta"}, {many + " gamma", []string{many + " alpha", many + " beta"}, ""}, {many, []string{many + " alpha"}, ""},
	} {
		res, err := catalog(t, called(tt.names...), nil).Resolve(t.Context(), tt.term, "")
		if err != nil {
			t.Fatal(err)
		}
		if taken := res.Status == resolve.Resolved; taken != (tt.want != "") || taken && res.Candidates[0].Value.Name != tt.want {
			t.Errorf("%s is %s: %s", tt.term, res.Status, candidates(res))
		}
	}
}

// TestOtherKind checks that an entity of another kind is not resolved.
func TestOtherKind(t *testing.T) {
	c := catalog(t, []resolve.Entity{{Kind: "vessel", Name: "Miami", ID: "v"}, {Kind: "port", Name: "Tampa", ID: "p"}}, nil)
	for kind, want := range map[string]resolve.Status{"port": resolve.Near, "person": resolve.Near, "vessel": resolve.Resolved, "": resolve.Resolved} {
		if status, ids := lookUp(t, c, "Miami", kind); status != want || !slices.Equal(ids, []string{"v"}) {
			t.Errorf("Miami, a %q, is %s: %v", kind, status, ids)
		}
	}
}

// TestFieldsTaken checks that fields with the same words are distinguished by their
// spelling.
func TestFieldsTaken(t *testing.T) {
	c, err := resolve.NewFieldCatalog(fields("s", "user_id", "userId", "total", "Total", "q1", "amount_1_12", "delay_hours"))
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]string{
		"user_id": "user_id", "userId": "userId", "total": "total", "Total": "Total", "user id": "", "q 1": "q1", "amount_11_2": "", "amount 11 2": "", "amount 1 12": "amount_1_12",
		"delays": "delay_hours",
	} {
		res, err := c.Resolve(t.Context(), term, "s")
		if err != nil {
			t.Fatal(err)
		}
		if taken := res.Status == resolve.Resolved; taken != (want != "") || taken && res.Candidates[0].Value.Name != want {
			t.Errorf("%s is %s: %+v", term, res.Status, res.Candidates)
		}
	}
	tool, err := resolve.NewFieldTool(nil, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Call(t.Context(), json.RawMessage(`{"terms":["Total","total"],"source":"s"}`))
	if got := read(t, string(out)); err != nil || len(got.Fields) != 2 || got.Fields[0]["field"] != "Total" || got.Fields[1]["field"] != "total" {
		t.Errorf("got %+v, %v", got, err)
	}
}
