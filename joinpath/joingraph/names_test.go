package joingraph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitName(t *testing.T) {
	for name, want := range map[string][]string{
		"":                   nil,
		"___":                nil,
		"workTime":           {"work", "time"},
		"WORK_TIME":          {"work", "time"},
		"Work Time":          {"work", "time"},
		"work-time":          {"work", "time"},
		"customerID":         {"customer", "id"},
		"HTTPStatusCode":     {"http", "status", "code"},
		"address2":           {"address", "2"},
		"club_id_1":          {"club", "id", "1"},
		"Länder":             {"laender"},
		"Straße":             {"strasse"},
		"\xff":               nil,
		"sales.order_header": {"sales", "order", "header"},
	} {
		got := splitName(name)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", name, diff)
		}
	}
}

func TestSingular(t *testing.T) {
	for _, pair := range [][2]string{
		{"customer", "customers"}, {"category", "categories"}, {"address", "addresses"}, {"box", "boxes"},
		{"status", "statuses"}, {"house", "houses"}, {"movie", "movies"}, {"person", "people"}, {"child", "children"},
		{"analysis", "analyses"}, {"company", "companies"}, {"bus", "buses"}, {"class", "classes"},
		{"kunde", "kunden"}, {"bestellung", "bestellungen"}, {"adresse", "adressen"}, {"laender", "land"},
		{"vertraege", "vertrag"}, {"artikel", "artikel"}, {"mitarbeiter", "mitarbeiter"},
	} {
		if a, b := singular(pair[0]), singular(pair[1]); a != b {
			t.Errorf("%s is %q, %s is %q", pair[0], a, pair[1], b)
		}
	}
	for _, pair := range [][2]string{{"customer", "custom"}, {"order", "border"}, {"status", "state"}, {"user", "us"}} {
		if a, b := singular(pair[0]), singular(pair[1]); a == b {
			t.Errorf("%s and %s are both %q", pair[0], pair[1], a)
		}
	}
}

func TestAbbreviation(t *testing.T) {
	for _, test := range []struct {
		short, long string
		want        int
	}{
		{"cust", "customer", beginning},
		{"dept", "department", subsequence},
		{"mgr", "manager", subsequence},
		{"acct", "account", subsequence},
		{"s", "student", initials},
		{"customer", "customer", noAbbreviation},
		{"customer", "cust", noAbbreviation},
		{"tom", "customer", noAbbreviation},
		{"cto", "customer", noAbbreviation},
		{"", "customer", noAbbreviation},
	} {
		if got := abbreviation(test.short, test.long); got != test.want {
			t.Errorf("%q for %q: got %d, want %d", test.short, test.long, got, test.want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"INT", "int", typesEqual},
		{"int(11)", "bigint(20) unsigned", typesCompatible},
		{"int", "numeric(10, 0)", typesCompatible},
		{"varchar(20)", "character varying(40)", typesCompatible},
		{"uuid", "char(36)", typesCompatible},
		{"int", "varchar(20)", typesIncompatible},
		{"int", "timestamp", typesIncompatible},
		{"boolean", "boolean", typesIncompatible},
		{"jsonb", "jsonb", typesIncompatible},
		{"double precision", "double precision", typesIncompatible},
		{"int[]", "int", typesIncompatible},
		{"", "int", typesUnknown},
		{"", "boolean", typesIncompatible},
	} {
		if got := compareTypes(test.a, test.b, classOf(test.a), classOf(test.b)); got != test.want {
			t.Errorf("%q and %q: got %s, want %s", test.a, test.b, got, test.want)
		}
	}
}
