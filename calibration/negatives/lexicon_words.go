package negatives

// antonymPairs are opposites with their inflections, in both directions.
const antonymPairs = `increase decrease;increases decreases;increased decreased;increasing decreasing;rise fall;rises falls
rose fell;rising falling;grow shrink;grows shrinks;grew shrank;growing shrinking;gain lose;gains losses;gained lost
win lose;won lost;wins loses;winning losing;accept reject;accepts rejects;accepted rejected;allow forbid;allows forbids
allowed forbidden;permitted prohibited;permit prohibit;approve deny;approved denied;approves denies;enable disable
enabled disabled;enables disables;include exclude;includes excludes;included excluded;including excluding;open close
opens closes;opened closed;open closed;start end;starts ends;started ended;begin finish;begins finishes;began finished
arrive depart;arrives departs;arrived departed;enter leave;entered left;enters leaves;buy sell;buys sells;bought sold
lend borrow;lends borrows;lent borrowed;teach learn;push pull;pushed pulled;send receive;sends receives;sent received
attack defend;attacked defended;attacks defends;support oppose;supports opposes;supported opposed;supporting opposing
agree disagree;agrees disagrees;agreed disagreed;confirm deny;confirms denies;confirmed denied;succeed fail;succeeds fails
succeeded failed;success failure;successful unsuccessful;successfully unsuccessfully;improve worsen;improves worsens
improved worsened;strengthen weaken;strengthens weakens;strengthened weakened
create destroy;creates destroys;created destroyed;build demolish;built demolished;add remove;adds removes;added removed
appear disappear;appears disappears;appeared disappeared;love hate;loves hates;loved hated;likes dislikes
remember forget;remembers forgets;remembered forgot;encourage discourage;encourages discourages;encouraged discouraged
join leave;hire fire;hired fired;arrest release;arrested released;convicted acquitted;guilty innocent;legal illegal
legally illegally;lawful unlawful;constitutional unconstitutional;public private;publicly privately;married divorced
alive dead;healthy sick;safe dangerous;safely dangerously;good bad;better worse;best worst;big small
bigger smaller;biggest smallest;large small;larger smaller;largest smallest;high low;higher lower;highest lowest
long short;longer shorter;longest shortest;tall short;old new;old young;older younger;oldest youngest;oldest newest
early late;earlier later;earliest latest;first last;former latter;fast slow;faster slower;fastest slowest;quick slow
quickly slowly;hot cold;hotter colder;warm cool;warmer cooler;wet dry;strong weak;stronger weaker;strongest weakest
rich poor;richer poorer;expensive cheap;expensive affordable;cheaper costlier;easy difficult;easy hard;easier harder
simple complex;simple complicated;clear unclear;full empty;heavier lighter;thick thin;wide narrow
wider narrower;deep shallow;near far;nearest farthest;inside outside;indoor outdoor;indoors outdoors;internal external
upper lower;above below;before after;more less;most least;always never;often rarely;frequently rarely
usually rarely;everyone nobody;everything nothing;majority minority;maximum minimum;positive negative;positively negatively
active inactive;passive active;true false;correct incorrect;correctly incorrectly;right wrong;accurate inaccurate
possible impossible;likely unlikely;certain uncertain;sure unsure;known unknown;famous unknown;popular unpopular
common rare;normal abnormal;usual unusual;regular irregular;similar different;same different;equal unequal;fair unfair
happy unhappy;happy sad;satisfied dissatisfied;pleased disappointed;friendly hostile;friendly rude;polite rude
clean dirty;fresh stale;delicious bland;tasty tasteless;quiet loud;quiet noisy;calm tense;bright dark;modern outdated
modern traditional;advanced basic;comprehensive limited;unlimited limited;permanent temporary;permanently temporarily
voluntary mandatory;optional mandatory;optional required;necessary unnecessary;essential unimportant;important unimportant
useful useless;helpful unhelpful;effective ineffective;efficient inefficient;reliable unreliable;stable unstable
flexible rigid;available unavailable;visible invisible;complete incomplete;complete partial;entirely partly;whole partial
natural artificial;organic synthetic;domestic foreign;local global;national international;urban rural;senior junior
experienced inexperienced;skilled unskilled;professional amateur;formal informal;direct indirect;directly indirectly
explicit implicit;explicitly implicitly;supervised unsupervised;temporal spatial;continuous discrete;linear nonlinear
static dynamic;upward downward;forward backward;ahead behind;inner outer;entrance exit;arrival departure;profit loss
profits losses;profitable unprofitable;asset liability;assets liabilities;income expense;revenue cost;demand supply
credit debit;export import;exports imports;ally enemy;allies enemies;victory defeat;war peace;hope despair;truth lie
advantage disadvantage;advantages disadvantages;strength weakness;strengths weaknesses;benefit drawback;benefits drawbacks
pros cons;top bottom;day night;sunrise sunset;winter summer;presence absence
conscious unconscious;acute chronic;benign malignant;optimistic pessimistic;liberal conservative
ascending descending;vertical horizontal;sweet bitter;smooth rough;sharp dull;tight loose;raise lower;raised lowered
reduce increase;reduces increases;reduced increased;reducing increasing;prevent cause;prevents causes;prevented caused
avoid seek;avoids seeks;avoided sought;save waste;saves wastes;saved wasted;praise criticize;praised criticized
praises criticizes;trust distrust;reveal conceal;revealed concealed;reveals conceals;accelerate delay;accelerated delayed`

// oneWay strengthen a quantity or a certainty. The other direction often preserves the label.
const oneWay = `may will;might will;could will;should must;some all;some most;some no;many few;every no;several no
sometimes always;often always;suggests proves;suggested proved;suggest prove;believes knows;expected guaranteed
planned completed;proposed enacted;estimated confirmed;alleged proven;nearly exactly;approximately exactly
partly fully;partially fully`

// synonymPairs mean the same in nearly every sentence, in both directions.
const synonymPairs = `additional extra;additionally furthermore;purchase buy;purchased bought;purchases buys;assist help
assists helps;assisted helped;assistance help;begins starts;began started;beginning starting;finished completed;reduce decrease
reduces decreases;reduced decreased;enhance improve;enhances improves;enhanced improved;demonstrate show;demonstrates shows
demonstrated showed;indicates shows;obtain get;obtains gets;obtained got;require need;requires needs;required needed
approximately roughly;large big;larger bigger;largest biggest;rapid quick;rapidly quickly
fast quick;numerous many;entirely completely;primary main;primarily mainly;frequently often
rarely seldom;prior previous;previously earlier;currently presently;nearly almost;extremely very;essential crucial
important significant;significant considerable;significantly considerably;difficult hard;simple easy;simple straightforward
expensive costly;affordable inexpensive;cheap inexpensive;correct right;incorrect wrong;error mistake;errors mistakes
issue problem;issues problems;method approach;methods approaches;technique method;company firm;companies firms
business company;physician doctor;physicians doctors;attorney lawyer;attorneys lawyers;children kids;automobile car
film movie;films movies;picture image;pictures images;photo photograph;photos photographs;street road;town city;house home
answer reply;answered replied;speak talk;spoke talked;said stated;explain describe;explains describes
explained described;mention note;mentions notes;mentioned noted;suggests proposes;suggested proposed;discuss debate
discussed debated;discussing debating;provide offer;provides offers;provided offered;providing offering;supply provide
supplies provides;supplied provided;utilize use;utilizes uses;utilized used;utilizing using;construct build;constructed built
create produce;creates produces;created produced;develop create;developed created;select choose;selected chose
selection choice;permit allow;permits allows;permitted allowed;permission approval;forbidden prohibited;bans prohibits
banned prohibited;stop halt;stopped halted;continue proceed;maintain keep;maintains keeps;maintained kept;remain stay
remains stays;remained stayed;happen occur;happens occurs;happened occurred;includes contains;comprises includes
ability capability;abilities capabilities;opportunity chance
objectives goals;effect impact;effects impacts
benefit advantage;benefits advantages;drawback disadvantage;drawbacks disadvantages
amount quantity;portion part;section part;kind type;kinds types;sort kind;concept idea;concepts ideas;notion idea
believe think;believes thinks;believed thought;consider regard;considers regards;considered regarded;attempt try
attempts tries;attempted tried;seek pursue;ask inquire;asked inquired;call phone
receive get;receives gets;received got;give provide;gave provided;gather collect;gathered collected;gathers collects
evaluate assess;evaluates assesses;evaluated assessed;examine inspect;examined inspected;investigate examine
discover find;discovered found;discovers finds;identify recognize;identified recognized;verify confirm;verified confirmed
ensure guarantee;ensures guarantees;ensured guaranteed;assure guarantee;protect safeguard;protects safeguards;injured hurt
sick ill;illness disease;tired weary;glad happy;sad unhappy;famous well-known;popular well-liked;wealthy rich;poor needy
silent quiet;calm peaceful;courteous polite;friendly amiable;clever smart;intelligent smart;foolish silly;strange odd
unusual uncommon;rare uncommon;typical usual;normal ordinary;ancient old;modern contemporary;recent new;latest newest
huge enormous;tiny minuscule;small little;wide broad;narrow slim;distant far;empty vacant;full packed
enough sufficient;adequate sufficient;comprehensive complete;detailed thorough;personalized customized;personalize customize
scheduled arranged;demonstration demo;representative agent;staff personnel;employee worker
employees workers;worker laborer;leader head;pupil student;pupils students;beverage drink;beverages drinks;meal dish
meals dishes;tasty delicious;attractive appealing;beautiful lovely;pleasant enjoyable;welcoming inviting;cozy snug
restaurant eatery;shop store;shops stores;journey trip;vacation holiday;residence home;dwelling home
conclusion end;conclude finish;rise climb;climbed rose;plummeted plunged;surge jump;surged jumped;collaborate cooperate
collaborated cooperated;conflict dispute;quarrel argument;fight battle;inmate prisoner
inmates prisoners;suspect accused;aid help;rescue save;rescued saved;dead deceased;died perished;murder killing`

// contracted are contractions with their long forms.
const contracted = `don't do not;doesn't does not;didn't did not;isn't is not;aren't are not;wasn't was not;weren't were not
won't will not;wouldn't would not;shouldn't should not;couldn't could not;hasn't has not;haven't have not;hadn't had not
they're they are;we're we are;you're you are;i'm i am;they've they have;we've we have;you've you have`

// irregularVerbs are bases with their past.
const irregularVerbs = `have had;make made;take took;give gave;get got;keep kept;hold held;find found;lose lost;win won;buy bought
sell sold;bring brought;leave left;meet met;pay paid;send sent;build built;tell told;show showed;write wrote;know knew
begin began;become became;grow grew;see saw;sing sang;steal stole;spend spent;teach taught;understand understood;wear wore
speak spoke;choose chose;break broke;drive drove;eat ate;forget forgot;lead led;lend lent;shoot shot;throw threw;hear heard
seek sought;feel felt;fight fought;catch caught;draw drew;beat beat`

// regularVerbs take -ed without doubling a consonant.
const regularVerbs = `accept accuse achieve acknowledge activate add address administer adopt advise affect aid allow alter analyze announce
answer anticipate apply appoint appreciate approve argue arrest ask assemble assess assign assume assure attack attend
attract attribute authorize avoid award believe benefit blame block book boost calculate call cancel carry cause
celebrate challenge change charge check cite claim clean close collect combine command commission compare complain
complement complete compose conceal conclude condemn conduct confirm confront connect conquer consider consult consume
contain continue contribute convince correct cover create criticize damage declare decline decrease defeat defend
deliver demand demolish demonstrate deny deploy derive describe deserve design destroy detect determine develop
diagnose direct disclose discover discuss disrupt distribute divide document doubt download earn educate eliminate
embrace emphasize employ enable encounter encourage encrypt end endorse enforce enhance enjoy enlarge ensure enter
establish estimate evaluate examine exceed exchange exclude execute exhibit expand expect experience explain explore
export expose express extend extract face favor feature fill finance finish fire follow force form found frame fulfill
gain generate govern grant greet guarantee guard guide halt handle harm help highlight hire honor host identify ignore
illustrate imagine implement imply import impose impress improve include increase indicate influence inform inherit
inhibit initiate injure inspect inspire install insult insure integrate interpret interview introduce invent invest
investigate invite involve issue join justify kill label lack launch learn license lift like limit list love lower
maintain manage manufacture mark market marry master measure mention miss monitor motivate move name need negotiate
nominate note notice observe obtain occupy offer open operate oppose order organize overturn own perform play possess
praise prefer present prevent produce prohibit promise promote propose protect prove provide publish punish purchase
pursue question raise reach receive recognize recommend record recover reduce refuse reject release remove rename
repair repeat replace report represent request require rescue resolve respect restore return reveal review save scare
search secure select serve share sign solve start state support surround survive suspect target test thank trace train
transfer treat trust turn urge use value violate visit want warn wash watch welcome witness worry`
