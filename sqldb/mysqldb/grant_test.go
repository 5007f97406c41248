package mysqldb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
)

func TestParseGrant(t *testing.T) {
	table := func(schema, name string) object {
		return object{schema: schema, name: name, text: "`" + schema + "`.`" + name + "`"}
	}
	rights := func(names ...string) (list []privilege) {
		for _, name := range names {
			list = append(list, privilege{name: name})
		}
		return list
	}
	all := object{schema: "*", name: "*", text: "*.*"}
	for _, tt := range []struct {
		line string
		want grant
	}{
		// MariaDB
		{"GRANT USAGE ON *.* TO `g`@`%` IDENTIFIED BY PASSWORD '*D821809F681A40A6E379B50D0463EFAE20BDD122'", grant{privileges: rights("USAGE"), on: all, to: "`g`@`%`"}},
		{"GRANT PROCESS, FILE, SUPER ON *.* TO `g`@`%` REQUIRE SSL WITH MAX_USER_CONNECTIONS 5", grant{privileges: rights("PROCESS", "FILE", "SUPER"), on: all, to: "`g`@`%`"}},
		{"GRANT ALL PRIVILEGES ON `te\\_x%`.* TO `g`@`%` WITH GRANT OPTION", grant{privileges: rights("ALL PRIVILEGES"), on: object{schema: "te\\_x%", name: "*", text: "`te\\_x%`.*"}, to: "`g`@`%`", grantable: true}},
		{"GRANT SELECT (`n`, `a, b) ON`), INSERT (`s`) ON `x`.`t` TO `g`@`%`", grant{privileges: []privilege{{"SELECT", "(`n`,`a, b) ON`)"}, {"INSERT", "(`s`)"}}, on: table("x", "t"), to: "`g`@`%`"}},
		{"GRANT EXECUTE ON FUNCTION `x`.`app``key` TO `g`@`%`", grant{privileges: rights("EXECUTE"), on: object{kind: "FUNCTION", schema: "x", name: "app`key", text: "`x`.`app``key`"}, to: "`g`@`%`"}},
		{"GRANT EXECUTE ON PACKAGE BODY `x`.`p` TO `g`@`%`", grant{privileges: rights("EXECUTE"), on: object{kind: "PACKAGE BODY", schema: "x", name: "p", text: "`x`.`p`"}, to: "`g`@`%`"}},
		{"GRANT PROXY ON `root`@`localhost` TO `g`@`%` WITH GRANT OPTION", grant{privileges: rights("PROXY"), proxied: "`root`@`localhost`", to: "`g`@`%`", grantable: true}},
		{"GRANT SELECT ON `x`.`t` TO PUBLIC", grant{privileges: rights("SELECT"), on: table("x", "t"), to: "PUBLIC"}},
		{"GRANT `odd role` TO `g`@`%` WITH ADMIN OPTION", grant{roles: []string{"`odd role`"}, to: "`g`@`%`", grantable: true}},
		{"GRANT SELECT ON `x`.`t` TO `r`", grant{privileges: rights("SELECT"), on: table("x", "t"), to: "`r`"}},
		// MySQL
		{"GRANT `ra`@`%`,`rb`@`%` TO `rz`@`%`", grant{roles: []string{"`ra`@`%`", "`rb`@`%`"}, to: "`rz`@`%`"}},
		{"GRANT BACKUP_ADMIN,SHOW_ROUTINE ON *.* TO `g`@`%`", grant{privileges: rights("BACKUP_ADMIN", "SHOW_ROUTINE"), on: all, to: "`g`@`%`"}},
		{"GRANT PROXY ON ``@`` TO `root`@`localhost` WITH GRANT OPTION", grant{privileges: rights("PROXY"), proxied: "``@``", to: "`root`@`localhost`", grantable: true}},
		{"GRANT CREATE TEMPORARY TABLES ON `x`.* TO `it's TO ON`@`10.0.%`", grant{privileges: rights("CREATE TEMPORARY TABLES"), on: object{schema: "x", name: "*", text: "`x`.*"}, to: "`it's TO ON`@`10.0.%`"}},
		{"GRANT SELECT ON `x`.`t` TO 'g'@'%'", grant{privileges: rights("SELECT"), on: table("x", "t"), to: "'g'@'%'"}},
	} {
		got, ok, err := parseGrant(tt.line)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(grant{}, privilege{}, object{})); !ok || err != nil || diff != "" {
			t.Errorf("%s: %v, %v (-want +got):\n%s", tt.line, ok, err, diff)
		}
	}
	for _, line := range []string{"SET DEFAULT ROLE `r` FOR `g`@`%`", "REVOKE SELECT ON `mysql`.* FROM `g`@`%`"} {
		if _, ok, err := parseGrant(line); ok || err != nil {
			t.Errorf("%s: %v, %v", line, ok, err)
		}
	}
	for _, line := range []string{"", "GRANT", "GRANT SELECT ON", "GRANT SELECT ON `x` TO `g`@`%`", "GRANT PROXY TO `g`@`%`", "GRANT SELECT ON `x`.`t`", "DENY SELECT ON `x`.`t` TO `secret`"} {
		if _, _, err := parseGrant(line); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func FuzzParseGrant(f *testing.F) {
	for _, line := range []string{"GRANT SELECT (`n`, `s`) ON `x`.`t` TO `g`@`%` WITH GRANT OPTION", "GRANT PROXY ON ``@`` TO `r`@`l`", "GRANT `r` TO `g`@`%`", "GRANT ALL ON 'a''b'.* TO x"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		g, ok, err := parseGrant(line)
		if ok && (err != nil || g.to == "" || len(g.privileges) == 0 && len(g.roles) == 0) {
			t.Errorf("%q: %+v, %v", line, g, err)
		}
	})
}

func TestLike(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"shop", "shop", true},
		{"shop", "shops", false},
		{"shop%", "shops", true},
		{"%", "", true},
		{"s_op", "shop", true},
		{`s\_op`, "shop", false},
		{`s\_op`, "s_op", true},
		{`s\%`, "s%", true},
		{`s\%`, "sx", false},
		{"_", "é", true},
		{"_", "", false},
		{"a%b%c", "a-b-b-c", true},
		{"a%b%c", "a-c-b", false},
	} {
		if got := like(tt.pattern, tt.name); got != tt.want {
			t.Errorf("like(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

func TestQuoteAccount(t *testing.T) {
	for account, want := range map[string]string{
		"agent@%":        "`agent`@`%`",
		"a@b@10.0.0.1":   "`a@b`@`10.0.0.1`",
		"it`s@localhost": "`it``s`@`localhost`",
		"@localhost":     "``@`localhost`",
	} {
		if got := quoteAccount(account); got != want {
			t.Errorf("%s: %s, want %s", account, got, want)
		}
	}
}

// Statements read the views of a policy and its tables without a view, however
// they are listed.
func TestNeeds(t *testing.T) {
	s := &server{}
	for name, p := range map[string]*secureview.Policy{
		"the table":     {Schema: "d", Tables: map[string][]string{"person": {"id"}, "task": {"no"}}, Views: map[string]string{"person": "secure_person"}},
		"the view":      {Schema: "d", Tables: map[string][]string{"secure_person": {"id"}, "task": {"no"}}, Views: map[string]string{"person": "secure_person"}},
		"both":          {Schema: "d", Tables: map[string][]string{"person": {"id", "ssn"}, "secure_person": {"id"}, "task": {"no"}}, Views: map[string]string{"person": "secure_person"}},
		"another case":  {Schema: "d", Tables: map[string][]string{"Person": {"id"}, "task": {"no"}}, Views: map[string]string{"person": "secure_person"}},
		"other schemas": {Schema: "d", Tables: map[string][]string{"task": {"no"}}, Schemas: map[string]secureview.Schema{"d": {Tables: map[string][]string{"person": {"id"}}, Views: map[string]string{"person": "secure_person"}}}},
	} {
		got := map[string][]string{}
		for _, o := range s.newNeeds(p).objects {
			got[o.Schema+"."+o.Name] = o.Columns
		}
		if diff := cmp.Diff(map[string][]string{"d.secure_person": {"id"}, "d.task": {"no"}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
