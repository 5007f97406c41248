package fieldservice

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallSchema = `-- A comment; with a semicolon.
CREATE TABLE "order" (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL UNIQUE,
  "group"  TEXT,
  text     TEXT CHECK (text IN ('TEXT', 'a "b"')), -- not declared
  isOpen   BOOLEAN NOT NULL CHECK (isOpen IN (0, 1)),
  madeAt   DATETIME,
  price    DECIMAL(10, 2) NOT NULL,
  parentId INTEGER NOT NULL UNIQUE REFERENCES "order" (id),
  a        INTEGER REFERENCES line (id),
  FOREIGN KEY (id, a) REFERENCES line (orderId, no)
);

CREATE VIEW secure_order AS
SELECT id, "group"
FROM "order";
`

func TestTranslate(t *testing.T) {
	want := map[string][]string{
		"sqlite": {smallSchema},
		"mysql": {"CREATE TABLE `order` (\n" +
			"  `id`       INTEGER PRIMARY KEY,\n" +
			"  `name`     VARCHAR(255) NOT NULL UNIQUE,\n" +
			"  `group`  VARCHAR(255),\n" +
			"  `text`     VARCHAR(255) CHECK (`text` IN ('TEXT', 'a \"b\"')), \n" +
			"  `isOpen`   BOOLEAN NOT NULL CHECK (`isOpen` IN (0, 1)),\n" +
			"  `madeAt`   DATETIME,\n" +
			"  `price`    DECIMAL(10, 2) NOT NULL,\n" +
			"  `parentId` INTEGER NOT NULL UNIQUE,\n" +
			"  `a`        INTEGER,\n" +
			"  FOREIGN KEY (`id`, `a`) REFERENCES `line` (`orderId`, `no`),\n" +
			"  FOREIGN KEY (`parentId`) REFERENCES `order` (`id`),\n" +
			"  FOREIGN KEY (`a`) REFERENCES `line` (`id`)\n" +
			") CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
			"CREATE VIEW `secure_order` AS\nSELECT `id`, `group`\nFROM `order`"},
		"postgres": {`CREATE TABLE "order" (
  "id"       INTEGER PRIMARY KEY,
  "name"     TEXT COLLATE "C" NOT NULL UNIQUE,
  "group"  TEXT COLLATE "C",
  "text"     TEXT COLLATE "C" CHECK ("text" IN ('TEXT', 'a "b"')), ` + `
  "isOpen"   SMALLINT NOT NULL CHECK ("isOpen" IN (0, 1)),
  "madeAt"   TIMESTAMP,
  "price"    DECIMAL(10, 2) NOT NULL,
  "parentId" INTEGER NOT NULL UNIQUE,
  "a"        INTEGER,
  FOREIGN KEY ("id", "a") REFERENCES "line" ("orderId", "no"),
  FOREIGN KEY ("parentId") REFERENCES "order" ("id"),
  FOREIGN KEY ("a") REFERENCES "line" ("id")
)`,
			"CREATE VIEW \"secure_order\" AS\nSELECT \"id\", \"group\"\nFROM \"order\""},
	}
	for name, e := range engines {
		if diff := cmp.Diff(want[name], e.translate(smallSchema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"DROP VIEW IF EXISTS `secure_order`", "DROP TABLE IF EXISTS `order`"}, engines["mysql"].dropAll(smallSchema)); diff != "" {
		t.Errorf("dropAll (-want +got):\n%s", diff)
	}
}

// TestSchemaTranslates checks that the translated schema has every table, view and key
// once, and that every name is quoted.
func TestSchemaTranslates(t *testing.T) {
	references := strings.Count(comment.ReplaceAllString(schema, ""), "REFERENCES")
	for _, name := range []string{"mysql", "postgres"} {
		e := engines[name]
		statements := e.translate(schema)
		if len(statements) != 56+6 {
			t.Errorf("%s: %d statements, want one for each of 56 tables and 6 views", name, len(statements))
		}
		text := strings.Join(statements, "\n")
		if n := strings.Count(text, "\n  FOREIGN KEY ("); n != references || strings.Count(text, "REFERENCES") != n {
			t.Errorf("%s: %d keys, want %d", name, n, references)
		}
		text = regexp.MustCompile(`'[^']*'`).ReplaceAllString(text, "")
		for _, bare := range regexp.MustCompile(`(^|[^`+e.quotes+`\w])[a-z]\w*`).FindAllString(text, -1) {
			if !strings.HasPrefix(bare, " utf8mb4") {
				t.Errorf("%s: %q is not quoted", name, bare)
			}
		}
	}
}

func TestInsert(t *testing.T) {
	want := map[string]string{
		"sqlite":   `INSERT INTO "order" VALUES (?, ?), (?, ?)`,
		"mysql":    "INSERT INTO `order` VALUES (?, ?), (?, ?)",
		"postgres": `INSERT INTO "order" VALUES ($1, $2), ($3, $4)`,
	}
	for name, e := range engines {
		if got := e.insert("order", 2, 2); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}
