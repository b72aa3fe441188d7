package citation

import "confab/internal/text"

// sayings are the verbs of speech; a read-only table.
//
//nolint:gochecknoglobals // a read-only table
var sayings = text.HashSet(`said says say stated states wrote writes told tells added adds explained explains noted notes replied
	announced declared remarked argued argues claimed claims insisted quoted quotes warned concluded commented recalled
	sagte sagt erklärte schrieb betonte dijo afirmó declaró escribió explicó dit déclaré affirmé écrit expliqué`)

// articles stand before the role of a speaker; a read-only table.
//
//nolint:gochecknoglobals // a read-only table
var articles = text.HashSet(`the der die das el la le les`)

// titleNouns stand before the title of a work; a read-only table.
//
//nolint:gochecknoglobals // a read-only table
var titleNouns = text.HashSet(`titled entitled called named book books paper article film movie song report series album novel essay
	study play poem episode chapter documentary show headline slogan buch titel libro livre título titre`)

// pronouns are capitalized words that are no names; a read-only table.
//
//nolint:gochecknoglobals // a read-only table
var pronouns = text.HashSet(`nobody everybody somebody someone everyone he she they it we i you the a an this that these those who but and as in on when while later then also
	according however er sie es wir ich der die das él ella ellos yo el la il elle nous je le les`)
