package joingraph

// weights were fitted by TestFit on the Spider schemas. The comments say how many of
// the candidates with a feature were right.
var weights = vector{
	1.65,  // same key name: 1066 of 1159
	1.80,  // named after the table: 97 of 113
	0.75,  // role and table: 17 of 37
	0.27,  // named like the table: 52 of 111
	-1.14, // role and table, no key word: 10 of 25
	1.26,  // ends with the key's name: 34 of 37
	-1.36, // abbreviates the table: 8 of 26
	1.73,  // end of the table's name: 14 of 14
	-2.20, // beginning of the table's name: 0 of 10
	2.08,  // table and role: 12 of 16
	-0.53, // role of a person: 4 of 12
	2.78,  // parent row: 4 of 4
	-3.44, // both are plain keys: 12 of 506
	1.02,  // same name, no table of that name: 23 of 33
	0.00,  // names say nothing: 0 of 0
	1.05,  // declared key: 668 of 1020
	0.00,  // guessed key: 37 of 46
	0.37,  // key named after its table: 1210 of 1921
	0.00,  // only key of that name: 68 of 83
	0.00,  // key named after something else: 24 of 32
	0.00,  // another table fits better: 22 of 43
	-0.48, // other tables fit as well: 48 of 519
	-0.33, // key of its own table: 154 of 413
	0.00,  // named after its own table: 369 of 392
	-0.29, // name says nothing: 49 of 66
	-0.60, // key word of ordinary columns: 109 of 157
	0.00,  // very short abbreviation: 6 of 12
	0.00,  // key word not separated: 90 of 95
	-4.10, // same table: 6 of 94
	-2.08, // different key words: 0 of 19
}
