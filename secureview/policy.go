package secureview

// DefaultRowLimit is the row limit of a [Policy] that sets none.
const DefaultRowLimit = 1000

// DefaultViewPrefix is how secure views are named where a [Policy] does not say.
const DefaultViewPrefix = "secure_"

// Policy says what may be read. [ReadPolicy] reads its JSON form.
//
// Names are compared without the case of ASCII letters, and printed as they are
// listed here: list them in the catalogue's own spelling.
type Policy struct {
	// Dialect is the name of the dialect: "sqlite", "mysql" (also for MariaDB) or
	// "postgres". Where it is set, it must be that of the [Guard].
	Dialect string `json:"dialect"`

	// Schema is the schema of Tables, and the only one that an unqualified name
	// can be in: the database in MySQL. Empty means "main" in SQLite; other
	// dialects need it, because tables are always printed with their schema.
	Schema string `json:"schema,omitempty"`

	// Tables lists the columns that may be read, by table or view. Whatever else
	// the database has does not exist for a statement; * means these columns.
	Tables map[string][]string `json:"tables"`

	// Views names the secure view that is read in place of a table. A table here
	// may be listed in Tables, or its view, or both. Where the view is listed its
	// columns are those that may be read, otherwise the table's are.
	Views map[string]string `json:"views,omitempty"`

	// Schemas declares further schemas. Their tables need to be qualified.
	Schemas map[string]Schema `json:"schemas,omitempty"`

	// Functions adds to the functions that the dialect holds to be safe. They are
	// names of functions of the database itself, compared without case. Nothing
	// looks into them: one that sets a variable of the session or takes a lock
	// leaves that to the next caller.
	Functions []string `json:"functions,omitempty"`

	// RowLimit bounds the rows of every statement. 0 means [DefaultRowLimit].
	RowLimit int `json:"row_limit,omitempty"`

	// ColumnsInMessages is how many columns an [Error] about an unknown column
	// lists at most. 0 means 100.
	ColumnsInMessages int `json:"columns_in_messages,omitempty"`

	// ViewPrefix is what the names of secure views begin with: a name like that
	// which is not listed is told to be an invented view. Empty means
	// [DefaultViewPrefix].
	ViewPrefix string `json:"view_prefix,omitempty"`

	// Setup says how the secure views are made, for [SQL] and for the check of an
	// account; nil: it is nobody's business here.
	Setup *Setup `json:"setup,omitempty"`
}

// Schema is a further schema of a [Policy]. Its fields are as those of Policy.
type Schema struct {
	Tables map[string][]string `json:"tables"`
	Views  map[string]string   `json:"views,omitempty"`
}

// FieldServiceViews maps the six tables of a field service company whose personal
// data is encrypted to the views that decrypt it. Each call returns a new map.
func FieldServiceViews() map[string]string {
	return map[string]string{
		"user":             "secure_user",
		"employee":         "secure_employee",
		"workOrder":        "secure_workorder",
		"customer":         "secure_customer",
		"customerLocation": "secure_customerlocation",
		"customerContact":  "secure_customercontact",
	}
}
