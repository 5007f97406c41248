package mysql

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview/dialect"
)

// versions are the versions of the servers that have a function, as in 8_00_21 for
// 8.0.21.
type versions struct {
	mysql      int // the first version of MySQL; 0: none
	mysqlUntil int // the first later version of MySQL without it; 0: none
	mariaDB    int // the first version of MariaDB; 0: none
}

// someServers are further safe functions, which not every server has.
var someServers = map[string]versions{
	"any_value":         {mysql: oldestMySQL},
	"bin_to_uuid":       {mysql: oldestMySQL},
	"grouping":          {mysql: oldestMySQL},
	"is_uuid":           {mysql: oldestMySQL},
	"json_schema_valid": {mysql: oldestMySQL, mariaDB: 11_01_00},
	"regexp_like":       {mysql: oldestMySQL},
	"uuid_to_bin":       {mysql: oldestMySQL},

	"json_overlaps": {mysql: oldestMySQL, mariaDB: 10_09_00},
	"json_pretty":   {mysql: oldestMySQL, mariaDB: 10_11_02},
	"md5":           {mysql: oldestMySQL, mysqlUntil: 9_00_00, mariaDB: oldestMariaDB},
	"sha":           {mysql: oldestMySQL, mysqlUntil: 9_00_00, mariaDB: oldestMariaDB},
	"sha1":          {mysql: oldestMySQL, mysqlUntil: 9_00_00, mariaDB: oldestMariaDB},

	"add_months":     {mariaDB: 10_06_01},
	"chr":            {mariaDB: oldestMariaDB},
	"json_equals":    {mariaDB: 10_07_00},
	"json_exists":    {mariaDB: oldestMariaDB},
	"json_normalize": {mariaDB: 10_07_00},
	"json_query":     {mariaDB: oldestMariaDB},
	"nvl":            {mariaDB: oldestMariaDB},
	"nvl2":           {mariaDB: oldestMariaDB},
	"to_char":        {mariaDB: 10_06_01},
}

// The oldest servers of a Dialect.
const (
	oldestMySQL   = 8_00_21
	oldestMariaDB = 10_06_00
)

func (v versions) include(s server) bool {
	if s.mariaDB {
		return v.mariaDB > 0 && v.mariaDB <= s.version
	}
	return v.mysql > 0 && v.mysql <= s.version && (v.mysqlUntil == 0 || s.version < v.mysqlUntil)
}

type server struct {
	mariaDB bool
	version int // 0: none
}

// parseServer parses a version such as 8.4.3, 8.0.36-0ubuntu0.22.04.1 or
// 10.11.6-MariaDB-log. Missing numbers are 0.
func parseServer(text string) server {
	s := server{mariaDB: strings.Contains(ascii.Lower(text), "mariadb")}
	numbers, _, _ := strings.Cut(text, "-")
	for i, part := range strings.SplitN(numbers, ".", 4) {
		n, err := strconv.Atoi(part[:digits(part)])
		if err != nil && i < 3 {
			return server{}
		}
		if i < 3 {
			s.version += min(n, 99) * [...]int{1_00_00, 1_00, 1}[i]
		}
	}
	return s
}

// OfServer returns the Dialect for a version of the server, or the Dialect itself if it has
// a Version.
func (d Dialect) OfServer(version string) dialect.Dialect {
	d.Version = cmp.Or(d.Version, version)
	return d
}

// ServerFunctions returns the functions that the Dialect allows and that not every
// server has, sorted. The error says that a server of the given version does not
// have one of them, so that a name could mean a stored function there.
func (d Dialect) ServerFunctions(version string) ([]string, error) {
	own, other := parseServer(d.Version), parseServer(version)
	if d.Version != "" && own.version == 0 {
		return nil, fmt.Errorf("the Version %q of the dialect is not a version: write 8.4 or 10.11-MariaDB", d.Version)
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(someServers)) {
		switch {
		case !someServers[name].include(own):
		case !someServers[name].include(other):
			return nil, fmt.Errorf("the dialect allows %s(), a function of version %s, which the server's version %s "+
				"does not have: correct the Version of the dialect", name, d.Version, version)
		default:
			names = append(names, name)
		}
	}
	return names, nil
}
