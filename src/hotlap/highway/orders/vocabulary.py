"""The words the grammar knows: each group under one plain word, and the words that say nothing here."""

from hotlap.highway.orders.numbers import NUMBER_WORDS
from hotlap.highway.orders.patterns import words

# Every word on the right is read as the one on the left.
SAME = {
    # moving over
    "move": "moves moving moved shift shifts shifting switch switches switching change changes changing merge merging "
    "slide sliding scoot scooting hop hopping swing swinging veer veering steer steering transition jump jumping "
    "nudge nudging head heading migrate relocate cross crossing bear bearing navigate navigating navigates maneuver "
    "maneuvering manoeuvre manoeuvring maneuvers manoeuvres divert diverting",
    "go": "going goes proceed proceeding travel traveling travelling ride riding roll rolling run running "
    "coast coasting",
    "get": "gets getting",
    "take": "takes taking use choose",
    "put": "putting place",
    "come": "comes coming",
    "return": "returns returning rejoin",
    "pull": "pulls pulling",
    "drive": "drives driving",
    "lane": "lanes",
    "left": "leftward leftwards lefthand",
    "right": "rightward rightwards righthand",
    "leftmost": "",
    "rightmost": "",
    "middle": "center centre central mid",
    "side": "edge",
    # speed
    "cruise": "cruises cruising cruised",
    "do": "doing",
    "set": "sets setting adjust adjusting program aim aiming target regulate regulating regulates configure fix tune "
    "establish specify modify modifying",
    "bring": "bringing",
    "faster": "quicker accelerate accelerates accelerating acceleration hurry speedup",
    "slower": "slowing slows decelerate decelerates decelerating deceleration slowdown",
    "brake": "brakes braking break breaks",
    "increase": "increases increasing raise raising bump add adding boost bigger larger longer wider greater higher "
    "widen widening extend extending lengthen open enlarge enlarging expand expanding augment hike heighten elevate "
    "elongate stretch gain gaining grow uplift amplify multiply rise",
    "reduce": "reduces reducing decrease decreasing lower lowering drop dropping less smaller shorter shorten tighten "
    "shrink narrow subtract subtracting lose trim shave lessen lessening diminish deduct shed decreased slash lowered "
    "minimize minimise curtail compress contract cutback remove moderate",
    "speed": "speeds speeding pace velocity",
    "limit": "limits maximum max",
    "under": "below beneath",
    "over": "above exceed exceeding beyond",
    "allowed": "legal legally permitted possible allow allows lawful",
    "much": "lot lots significantly considerably substantially",
    "bit": "little touch slightly tad notch smidge somewhat hair shade",
    # keeping things as they are
    "keep": "keeps keeping maintain maintaining maintains retain preserve",
    "hold": "holds holding",
    "stay": "stays staying remain remaining remains stick sticking hug hugging",
    "continue": "continues continuing",
    "same": "current present original actual existing",
    # overtaking and following
    "overtake": "overtakes overtaking overtaken pass passes passing leapfrog bypass surpass surpasses surpassing "
    "outpace outstrip outrun outdistance circumvent circumnavigate",
    "match": "matching matches mirror mimic copy",
    "follow": "follows following shadow trail trailing tail tailing",
    "gap": "gaps distance space spacing headway room buffer separation",
    "close": "closer closely near nearer closing",
    "ahead": "infront",
    "behind": "",
    "truck": "trucks lorry lorries semi rig trailer tractor bus coach",
    "suv": "suvs van vans minivan jeep pickup",
    "sedan": "sedans taxi cab coupe saloon hatchback",
    "motorcycle": "motorcycles motorbike motorbikes bike biker scooter moped",
    "car": "cars vehicle vehicles auto guy guys dude dudes driver drivers slowpoke snail idiot idiots fellow person "
    "people lady one ones leader traffic",
    # stopping and calling off
    "stop": "stops stopping stopped standstill",
    "halt": "halting park parking",
    "cancel": "cancels cancelling canceling cancelled canceled abort aborting disregard undo abandon",
    "not": "never",
    # units
    "second": "seconds sec secs s",
    "minute": "minutes min mins",
    "hour": "hours hr",
    "mph": "mphs",
    "kmh": "kph kmph",
    "mps": "",
    "mile": "miles mi",
    "kilometer": "kilometers kilometre kilometres kms km",
    "meter": "meters metre metres m",
    "foot": "feet ft",
    "yard": "yards yd",
    "length": "lengths",
    "percent": "percents percentage pct",
    # the rest of what the patterns look for
    "then": "afterwards afterward",
    "exit": "exits offramp ramp",
    "road": "highway motorway freeway",
    "turn": "turning",
}
OTHERS = words(
    "first third fourth fifth sixth th last shoulder steady back along straight course control without too up down off "
    "out past by around round fast slow quick more further farther extra him her it them leave leaving ease easing cut "
    "drift step steps pick blow zip squeeze tuck slot via using adapt far furthest farthest hand adaptive flow nobody "
    "reset restore resume default usual normal previous position zoom fly sail breeze whizz nip edge power"
)

# Words that change nothing: politeness, hesitation, small words, manner.
FILLERS = words(
    "a an the this that these those my your our me i you we us he she they his their its is are am be been was were "
    "will would could can should shall may might must to of in into on onto at for from with as and but so or if when "
    "once while until after before than please kindly thanks thank cheers hey hi hello ok okay yes yeah yep sure robot "
    "autopilot computer assistant buddy mate man dear sir pal um uh er erm hmm like just maybe perhaps well really "
    "very quite now then immediately instantly asap soon next here there let lets want wanna need needs wish try start "
    "begin make give go gotta have has had got do does did only simply carefully safely gently smoothly slowly quickly "
    "nicely swiftly promptly about approximately roughly exactly precisely some any all whole bloody damn darn "
    "freaking stupid annoying old big small huge tiny red blue white black green grey gray silver yellow alright also "
    "too even still already what how sorry actually instead rather again both towards toward through across side per "
    "way mind possible chance able think guess suppose moment sec time today ahead no not never ya yall folks everyone "
    "love great good fine cool perfect awesome nice job work point number least plus undertake where circumstances "
    "obey respect observe perform execute initiate conduct engage activate enable commence emergency signal indicator "
    "blinker blinkers feel free continue carry keep going hurry full complete dead couple posted safe spot find safest "
    "nearest ensure lead leading preceding further ensuring via selected desired new traffic value setting acc"
)

# English words one letter away from a word above: read as themselves.
REAL_WORDS = words(
    "abode aiding alloy bake bakes baking being bellow bling boot boring brace braces brave bread broke cancer canter "
    "cast casting chances charge charges charging clone closed clover coat codes coding combs cope coping cores cost "
    "costing costs couples crops derive dive diver diving drove dying edits emits exist exists expend extent fallow "
    "falter fasten fist fort forth foster gasp halving harry hating hearing heater heating hogging holes hoping hurray "
    "idiom lands large larry leaner lease lengthy lines linger loader logger loser lost lover mach males march mash "
    "math meddle menus mere merger meteor metro mines mints mode modes moles movies muddle mules neater newer packing "
    "paint palace passed pasting pauses pausing peace pills pint plane plate polling polls preset prevent print "
    "punting quicken regain rights said save saying says scout seed seen seventh sever shaft shake shame shape share "
    "sheer shirt shit shoot shooter shooting shopping shove shower showing shows sick sing sitting slave slice slicing "
    "slider slots soot sorter spade spare sped spend spending spice spied stack staging staring stars stating stats "
    "steed steel steep stepping sticky stitch stock stomping stuck swatch swift talking tanking tasking taxes thee "
    "threw torch touchy tough track tracks train trained trainer training trains trait tree trial trick truce trunk "
    "tuning wide"
)


def _table() -> dict[str, str]:
    table = {word: plain for plain, group in SAME.items() for word in group.split()}
    return {**table, **{plain: plain for plain in SAME}}


PLAIN = _table()
"""Each known word and the plain word it is read as."""
KNOWN = frozenset({*PLAIN, *OTHERS, *FILLERS, *NUMBER_WORDS})
"""Every word that is not a stranger."""
