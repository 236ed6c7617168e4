"""The message catalogue: for each English text of the program the Chinese one. The names in braces
are the same in both.

Words: bid 叫, 叫点; opening bid 首叫; raise 加叫; challenge 开; jump challenge 跳开; round 局;
match 场; opener and responder 先手, 后手; seat 1 1 号位; hand 手牌; count and face 个数, 点数;
strength 大小; penalty point 罚点; policy 策略; checkpoint 检查点; value 期望收益; best response
最佳应对; exploitability 可剥削度; information set 信息集; recall 记忆; iteration 迭代.
"""

from __future__ import annotations

CHINESE: dict[str, str] = {
    # game.bids
    "{bid} is out of the domain: these rules know {mode} only": (
        "没有 {bid} 这种叫法：这套规则只有{mode}"
    ),
    "{bid} is out of the domain: count is 1 to {dice}, the dice on the table": (
        "没有 {bid} 这种叫法：桌上一共 {dice} 个骰子，个数是 1 到 {dice}"
    ),
    "{bid} is out of the domain: {mode} names faces {lowest} to {highest}": (
        "没有 {bid} 这种叫法：{mode}只能叫点数 {lowest} 到 {highest}"
    ),
    "{bid} may not open a round: the first bid has a count of at least {count}": (
        "首叫不能叫 {bid}：首叫的个数至少是 {count}"
    ),
    "{bid} is not stronger than {last}: both have strength {strength}": (
        "{bid} 不比 {last} 大：两个一样大，大小都是 {strength}"
    ),
    "{bid} is not stronger than {last}: {ours} against {theirs}": (
        "{bid} 不比 {last} 大：大小是 {ours} 对 {theirs}"
    ),
    "{bid} can never be made: it may not open a round, and no opening is weaker than it": (
        "{bid} 永远叫不出来：首叫不能叫它，也没有比它小的首叫"
    ),
    "{bid} does not have the count that comes next, {count}": (
        "{bid} 的个数不对：接下来个数只能是 {count}"
    ),
    "{bid} may not follow {last}: a raise has more dice of a face at least as high, or as "
    "many of a higher face": (
        "{last} 之后不能叫 {bid}：加叫要么个数更多而点数不减，要么个数相同而点数更大"
    ),
    # game.elimination
    "the player in seat {seat} is out": "{seat} 号位的玩家已经出局",
    "{bid} comes too early: others are asked first": "叫 {bid} 早了：先要问其他玩家开不开",
    "{bid} is too much: there are only {dice} dice on the table": (
        "{bid} 太多了：桌上只有 {dice} 个骰子"
    ),
    "everybody has declined to challenge: the next player must bid": (
        "大家都说了不开：轮到的玩家必须叫"
    ),
    "nobody is asked whether to challenge": "现在不问人开不开",
    "the match has ended: only one player has dice left": "比赛已经结束：只有一个玩家还有骰子",
    "an elimination match needs rules under which dice are lost; these cost penalty points": (
        "淘汰赛输的是骰子，这套规则输的是罚点"
    ),
    "a round needs at least two players with dice": "一局至少要有两个玩家还有骰子",
    # game.hands
    "hand {hand} has {dice} dice; it has at most {most}": (
        "手牌 {hand} 有 {dice} 个骰子，最多是 {most} 个"
    ),
    "hand {hand} has {dice} dice; it must have {right}": (
        "手牌 {hand} 有 {dice} 个骰子，应该是 {right} 个"
    ),
    "hand {hand} shows a {face}; faces are 1 to {faces}": (
        "手牌 {hand} 里有 {face}，点数只能是 1 到 {faces}"
    ),
    # game.notation
    "{text!r} is not a bid; write it like 飞4x6, f4x6, fei 4 6 or z2x5": (
        "看不懂叫点 {text!r}；请写成 飞4x6、f4x6、fei 4 6 或 z2x5 这样"
    ),
    "{text!r} is not a hand; write the faces of your dice, like 11346": (
        "看不懂手牌 {text!r}；请依次写出各个骰子的点数，如 11346"
    ),
    "{text!r} is neither a bid, like 飞4x6 or z2x5, nor a challenge, like challenge or c": (
        "{text!r} 既不是叫点（如 飞4x6、z2x5），也不是开（写 开、challenge 或 c）"
    ),
    "cannot read the history {text!r} from {unread!r} on; "
    "write bids like 飞3x4 or z2x5, separated by spaces": (
        "叫点记录 {text!r} 从 {unread!r} 起看不懂；请写成 飞3x4、z2x5 这样，用空格隔开"
    ),
    "{text!r} may mean {one} or {other}; write each mode next to its bid, like 飞3x4": (
        "{text!r} 有两种读法：{one}，或者 {other}；请把飞、斋紧挨着叫点写，如 飞3x4"
    ),
    "no mode said: read as {bids}": "没说飞还是斋，当作 {bids}",
    "challenge": "开",
    "challenge {distance}": "跳开 {distance}",
    # game.rounds, game.match
    "{hands} hands for {players} players": "{players} 个玩家，却有 {hands} 手牌",
    "{bid} comes too late: the round has ended": "叫 {bid} 晚了：这一局已经结束",
    "the round has ended": "这一局已经结束",
    "the round has not ended yet": "这一局还没有结束",
    "there is no bid to challenge: the first player must bid": "还没有人叫，不能开：先手必须叫",
    "only the last bid may be challenged: these rules are without 跳开": (
        "只能开上一个叫点：这套规则没有跳开"
    ),
    "the bid made {distance} bids ago may not be challenged now, only 1 to {furthest} bids ago": (
        "不能开倒数第 {distance} 个叫点；现在只能开倒数第 1 到第 {furthest} 个"
    ),
    "no bid has the action {action}": "没有编号为 {action} 的叫点",
    # game.openspiel
    "the OpenSpiel game has the presets in any size only, not {rules}": (
        "OpenSpiel 里只有预设的规则（大小不限），没有 {rules}"
    ),
    "no parameter is called {name!r}; there are {known}": "没有参数 {name!r}；有 {known}",
    "{name} is {value!r}; it must be of type {type}": "{name} 是 {value!r}，应该是 {type} 类型",
    "rounds is {rounds}; it must be positive": "局数（rounds）是 {rounds}，应该是正数",
    "observation parameters are not supported: {params}": "不支持观察参数：{params}",
    "no player has the seat {seat}": "座位 {seat} 上没有玩家",
    "no hand has the index {index}": "没有编号为 {index} 的手牌",
    # game.rules
    "raising is {raising!r}; it must be one of {known}": (
        "raising 是 {raising!r}，只能是 {known} 之一"
    ),
    "跳开 costs several points; where dice are lost it is not played": (
        "跳开要罚好几点；输骰子的规则里没有跳开"
    ),
    "{name} is only played where dice are lost": "只有输骰子的规则里才有 {name}",
    "{rules} is not played for penalty points: it is for `zhaifei arena` only": (
        "{rules} 输的不是罚点：这套规则只能用在 `zhaifei arena` 里"
    ),
    "{name} is {value!r}; it must be a whole number": "{name} 是 {value!r}，应该是整数",
    "{name} is {value!r}; it must be true or false": "{name} 是 {value!r}，应该是 true 或 false",
    "players is {players}; it must be 2 to 8": "玩家数（players）是 {players}，应该是 2 到 8",
    "dice is {dice}; each player has 1 to 9 dice": (
        "骰子数（dice）是 {dice}，每人应该有 1 到 9 个骰子"
    ),
    "faces is {faces}; a die has 2 to 9 faces": "面数（faces）是 {faces}，骰子应该有 2 到 9 面",
    "modes is {modes!r}; name 飞, 斋 or both, once each": (
        "叫法（modes）是 {modes!r}，应该是飞、斋或两者，各写一次"
    ),
    "wild is {wild}; it must be 1 to {faces}": "万能点（wild）是 {wild}，应该是 1 到 {faces}",
    "zhai_weight is {weight}; it must be positive": (
        "斋的倍数（zhai_weight）是 {weight}，应该是正数"
    ),
    "first_count is {count}; it must be 1 to {dice}, the dice on the table": (
        "首叫的最小个数（first_count）是 {count}，应该是 1 到桌上的骰子数 {dice}"
    ),
    "not a description of rules: {error}": "不是对规则的描述：{error}",
    "no rules are called {name!r}; there are {presets}": ("没有名为 {name!r} 的规则；有 {presets}"),
    # solver.tables.recall
    "recall {recall!r} must begin with 'bid': what is legal depends on it": (
        "记忆 {recall!r} 必须以 'bid' 开头：接下来能叫什么由它决定"
    ),
    "recall {text!r} remembers too much; drop the oldest features": (
        "记忆 {text!r} 记得太多；请去掉最早的几项"
    ),
    "{part!r} is not a recall feature; write {full!r}, or features bid, face, mode or -, "
    "each with an optional <STRENGTH, like bid,bid,face<10": (
        "{part!r} 不是记忆项；请写 {full!r}，或由 bid、face、mode、- 组成的列表，"
        "每项后面可以加 <大小，如 bid,bid,face<10"
    ),
    # solver.storage
    "cannot write {path}: there is no directory {directory}": (
        "无法写入 {path}：没有目录 {directory}"
    ),
    "cannot write {path}: it is a directory": "无法写入 {path}：它是一个目录",
    "cannot write {path}: {why}": "无法写入 {path}：{why}",
    "there is no policy file {path}": "没有策略文件 {path}",
    "there is no checkpoint file {path}": "没有检查点文件 {path}",
    "{path} is not a whole safetensors file: {error}": (
        "{path} 不是完整的 safetensors 文件：{error}"
    ),
    "{path} is a safetensors file, but not one of zhaifei's": (
        "{path} 是 safetensors 文件，但不是 zhaifei 写的"
    ),
    "{path} is {found}, not {wanted}": "{path} 是{found}，不是{wanted}",
    "a policy file": "策略文件",
    "a checkpoint file": "检查点文件",
    "a weights file": "权重文件",
    "a checkpoint file of 'train'": "“train”的检查点文件",
    "a file of action values": "动作价值文件",
    "{path} has format version {version}; this zhaifei reads up to {latest}": (
        "{path} 的格式版本是 {version}；这一版 zhaifei 最高读到 {latest}"
    ),
    # solver.memory, solver.cfr.growing_tree, solver.cfr.infosets
    "{complaint} ({limit:.1f} GB)": "{complaint}（上限 {limit:.1f} GB）",
    "a tree of {nodes} nodes fills the memory that may be used": (
        "博弈树已有 {nodes} 个节点，占满了可用内存"
    ),
    "a recall that remembers less needs less: the {number} information sets reached "
    "fill the memory that may be used": (
        "已到达的 {number} 个信息集占满了可用内存；少记一些就能省下内存"
    ),
    # solver.tables.queries, solver.response.table_search, solver.response.several_players,
    # solver.value.expected_value
    "asked for {asked} strategies, gave {given}": "要了 {asked} 个策略，给了 {given} 个",
    "after the bids {history} the policy's strategy is none: {why}": (
        "叫过 {history} 之后，策略给出的不是合法的策略：{why}"
    ),
    "no array of numbers: {error}": "不是数组：{error}",
    "shape {found} instead of [hand, action] = {right}": (
        "形状是 {found}，应该是 [手牌，动作] = {right}"
    ),
    "actions {actions} are not legal": "动作 {actions} 不合法",
    "hand {hand} plays with probability {least:g}": (
        "编号为 {hand} 的手牌，有动作的概率是 {least:g}"
    ),
    "the probabilities of hand {hand} add up to {total:g}, not 1": (
        "编号为 {hand} 的手牌，概率之和是 {total:g}，不是 1"
    ),
    "single-bid memory is for two players; these rules are for {players}": (
        "只记上一个叫的打法限两人；这套规则是 {players} 人的"
    ),
    "{hands} hands of each player make too many pairs": ("每人有 {hands} 种手牌，成对之后太多"),
    "best responses are to two-player policies; these rules are for {players}": (
        "最佳应对只针对两人策略；这套规则是 {players} 人的"
    ),
    "the policy opens with action {action}; that is no first bid": (
        "策略以动作 {action} 开局，它不能作首叫"
    ),
    "the policy raises to a bid that is not stronger": "策略加叫的并不更大",
    "the policy is for other rules than those given": "策略所用的规则与给定的不同",
    "the policy has a hand whose probabilities are none": "策略里有一手牌的概率不合法",
    "no seat {seat}: {players} players sit in 0 to {last}": (
        "没有座位 {seat}：{players} 个玩家坐 0 到 {last}"
    ),
    "two tables are given; the rules are for {players}": (
        "给了两张策略表；规则却是 {players} 人的"
    ),
    "the opener begins with action {action}: that is no first bid": (
        "先手以动作 {action} 开局：它不能作首叫"
    ),
    "after the bids {history} a policy plays action {action}: illegal": (
        "叫过 {history} 之后，有策略选了动作 {action}：不合法"
    ),
    "there are strategies for {seats} seats; the rules are for {players}": (
        "给了 {seats} 个座位的策略；规则却是 {players} 人的"
    ),
    "a best response to callers is known only for `increment`, of any size": (
        "对随机叫点玩家的最佳应对只在 `increment` 里算得出，人数和骰子数不限"
    ),
    "a best response to callers goes through {tables} tables with {players} players of {dice} dice "
    "each; that is done for {most} at most": (
        "{players} 人每人 {dice} 个骰子时，对随机叫点玩家的最佳应对要算 {tables} 种桌面；"
        "最多算 {most} 种"
    ),
    # solver.cfr.exact, solver.cfr.mccfr, solver.cfr.tree_cfr
    "the exact engine is for two players; these rules have {players}": (
        "精确求解只适用于两人；这套规则有 {players} 人"
    ),
    "the exact engine would need {needed:.3g} GiB for the {histories:.3g} bid histories "
    "of these rules; the limit is {limit:g} GiB": (
        "这套规则有 {histories:.3g} 种叫点序列，精确求解要 {needed:.3g} GiB 内存；"
        "上限是 {limit:g} GiB"
    ),
    "iterations is {iterations} in the saved state": "保存的状态里迭代次数是 {iterations}",
    "the saved state has no {name}": "保存的状态里没有 {name}",
    "{name} is {found} {found_shape} in the saved state; "
    "for these rules it must be {right} {right_shape}": (
        "保存的状态里 {name} 是 {found} {found_shape}；按这套规则应该是 {right} {right_shape}"
    ),
    "players is {players}; a tree is for 2 players": (
        "玩家数（players）是 {players}；博弈树只适用于两人"
    ),
    "threads is {threads}; there must be at least 1": "线程数（threads）是 {threads}，至少是 1",
    # policies
    "probabilities have shape {found}, not {right}": "概率的形状是 {found}，应该是 {right}",
    "an action is out of range": "有动作超出范围",
    "the policy takes illegal actions: it is damaged": "策略里有规则不允许的动作：文件已损坏",
    "{path} does not describe a policy: {error}": "{path} 里不是策略：{error}",
    "{path} does not describe a run: {error}": "{path} 里不是一次求解：{error}",
    "{error}; the run is kept in {checkpoint}": "{error}；训练进度保存在 {checkpoint}",
    "training goes on without a checkpoint: {error}": "没有写成检查点，训练继续：{error}",
    "what a best response does is shown for policy files of two players only; "
    "these rules are for {players}": (
        "只有两人的策略文件才能展示最佳应对怎么打；这套规则是 {players} 人的"
    ),
    "the policies play different rules: {one} and {other}": (
        "两个策略的规则不同：{one} 和 {other}"
    ),
    "duels are for 2 players; these rules are for {players}": (
        "对打只适用于两人；这套规则是 {players} 人的"
    ),
    "{given} players take part; the rules are for {players}": (
        "有 {given} 个玩家参加；这套规则是 {players} 人的"
    ),
    "{name} plays by other rules: {its}, not {rules}": (
        "{name} 用的是另一套规则：{its}，不是 {rules}"
    ),
    "no player is called {name!r}: there are {names}, and any policy or strategy file": (
        "没有名为 {name!r} 的玩家：有 {names}，也可以用任何策略文件，或自己写的 .py 文件"
    ),
    "no player is called {name!r}: there are {names}, and any strategy file": (
        "没有名为 {name!r} 的玩家：有 {names}，也可以用自己写的 .py 文件"
    ),
    "{name} does not play by these rules: there are {names}": ("{name} 不按这套规则打：有 {names}"),
    "any legal action, each as likely": "随机：每个合法动作概率相同",
    "remembers only the last bid, and raises 飞 only to 飞 and 斋 only to 斋: near an equilibrium "
    "of players who all do": "只记得上一个叫，飞只加叫飞，斋只加叫斋：大家都这样打时，它接近均衡",
    "never bluffs: challenges what is less likely than not, else makes the raise that its own dice "
    "support best, of those likelier than not if there are any": (
        "不吹牛：上家叫的更可能不成立就开，否则加叫自己骰子最支持的；有更可能成立的，就从中选"
    ),
    "makes the cheapest raise that is at least 60% likely, or else the likeliest; challenges what "
    "is less than 25% likely, or than 50% if no raise is 60% likely": (
        "叫成立概率至少 60% 的最小加叫，没有就叫最可能成立的；"
        "上家叫的概率低于 25% 就开，没有 60% 的加叫时低于 50% 就开"
    ),
    "takes the smaller risk: that a challenge finds the bid true, or that its likeliest raise is "
    "false": "哪个风险小就选哪个：开错，或者最可能成立的加叫其实不成立",
    "makes the strongest raise that is at least 40% likely, or else bluffs with the likeliest; "
    "challenges only what is less than 20% likely": (
        "叫成立概率至少 40% 的最大加叫，没有就用最可能成立的吹牛；只有上家叫的概率低于 20% 才开"
    ),
    "makes the weakest raise, face by face; challenges what is less than 40% likely": (
        "总是叫最小的加叫，一个点数一个点数地往上；上家叫的概率低于 40% 就开"
    ),
    "makes the raise that most of its own dice count towards, of these the likeliest; challenges "
    "what is less than 40% likely": (
        "叫自己骰子里算数最多的加叫，一样多就叫其中最可能成立的；上家叫的概率低于 40% 就开"
    ),
    "{player} has probabilities from {least} to {most}: it is damaged": (
        "{player} 的概率从 {least} 到 {most}：文件已损坏"
    ),
    "{player} has hands without a strategy: it is damaged": (
        "{player} 有的手牌没有策略：文件已损坏"
    ),
    "{player} must return {rounds} integer actions, but returned {type} of shape {shape}": (
        "要 {player} 给 {rounds} 个动作，它给了形状为 {shape} 的 {type}"
    ),
    "{player} with {hand} after [{history}]: there is no action {action}, only 0 to {last}": (
        "{player} 手牌 {hand}，叫过 [{history}] 之后：没有动作 {action}，只有 0 到 {last}"
    ),
    "{player} with {hand} after [{history}] wants to play {action}: {reason}": (
        "{player} 手牌 {hand}，叫过 [{history}] 之后想要 {action}：{reason}"
    ),
    # policies: play and watch
    "{seats} seats for {players} players": "{players} 个玩家，却有 {seats} 个座位",
    "{named} opponents are named, but there are seats for {count}": (
        "指定了 {named} 个对手，座位却只有 {count} 个"
    ),
    "Round {number} · first: {who}": "第 {number} 局 · 先手：{who}",
    "your dice": "你的手牌",
    "{who}: {bid}": "{who}叫 {bid}",
    "{who}: challenge of {bid} by {bidder}": "{who}开！{bidder}叫的是 {bid}",
    "{who}: 跳开, a challenge of {bid} by {bidder}, {distance} bids ago": (
        "{who}跳开 {distance}！{bidder}叫的是 {bid}"
    ),
    "{bid} is true: {claimed} were bid, {found} are there": (
        "{bid} 成立：叫了 {claimed} 个，实有 {found} 个"
    ),
    "{bid} is false: {claimed} were bid, {found} are there": (
        "{bid} 不成立：叫了 {claimed} 个，实有 {found} 个"
    ),
    "one penalty point for {who}": "{who}罚 1 点",
    "{points} penalty points for {who}": "{who}罚 {points} 点",
    "your dice: {dice}": "你的手牌：{dice}",
    "you open: bid a count of at least {count}": "你首叫：个数至少是 {count}",
    "{key} challenges {bid} by {bidder}": "{key} 开：{bidder}叫的 {bid}",
    "thinking (first run: compiling)": "正在思考（首次运行需要编译）",
    "hint": "提示",
    "the policy itself never bids like the others: their dice are taken as unknown": (
        "策略自己从不像别人这样叫：他们的手牌按一无所知来算"
    ),
    "with this hand the policy itself would not have bid like you: mind the values": (
        "拿着这手牌，策略自己不会像你这样叫：请看期望收益"
    ),
    "Standings after one round": "打了 1 局，排名如下",
    "Standings after {rounds} rounds": "打了 {rounds} 局，排名如下",
    "rank": "名次",
    "seat": "座位",
    "player": "玩家",
    "penalty points": "罚点",
    "bids so far": "叫过的",
    "dice": "骰子",
    "you": "你",
    "seat {seat} ({name})": "{seat} 号位（{name}）",
    "to ask about your last decision:": "你的最后一步该怎么办，可以问：",
    "to ask about the last decision of {who}:": "{who}的最后一步该怎么办，可以问：",
    "A bid says how many dice, of all on the table, show a face at least:": (
        "叫点说的是：桌上所有骰子里，某个点数至少有几个。"
    ),
    "  {bid}: {count} show {face}; {wild} is wild and counts as any face": (
        "  {bid}：有 {count} 个 {face} 点；{wild} 点是万能的，当什么点数都行"
    ),
    "  {bid}: {count} show {face}; only {face} itself counts": (
        "  {bid}：有 {count} 个 {face} 点；只数 {face} 点本身"
    ),
    "The first bid of a round has a count of at least {count}.": "首叫的个数至少是 {count}。",
    "Every other bid is stronger than the last: more dice, or as many of a higher face.": (
        "之后每次都要叫得更大：个数更多，或者个数一样而点数更大。"
    ),
    "To compare, a count under 斋 is multiplied by {weight}.": "比大小时，斋的个数要乘 {weight}。",
    "Or challenge the last bid: if it is true you take a penalty point, otherwise its bidder.": (
        "不叫也可以开上家：叫点成立，你罚 1 点；不成立，叫的人罚 1 点。"
    ),
    "跳开: challenge the bid made 2 bids ago, or up to {furthest}, for as many points.": (
        "跳开：开更早的叫点，最远到倒数第 {furthest} 个；倒数第几个，输家就罚几点。"
    ),
    "Who takes points starts the next round. Fewest points win.": (
        "输家是下一局的先手。罚点最少的人赢。"
    ),
    "Type:": "这样输入：",
    "  c, challenge, 开: challenge the last bid": "  c、challenge、开：开上家",
    "  c2, 跳开2: challenge the bid made 2 bids ago": "  c2、跳开2：开倒数第 2 个叫点",
    "  ?: this help    q: leave, with the standings": "  ?：看这份帮助    q：离开，并显示排名",
    "your turn (? for help, q to leave) > ": "轮到你了（? 帮助，q 离开）> ",
    "no hints: {reason}": "没有提示：{reason}",
    # policies: OpenSpiel
    "the policy is for other rules: {its}, not {rules}": "策略用的是别的规则：{its}，不是 {rules}",
    "no player decides at a chance node": "机会节点上没有玩家做决定",
    "the OpenSpiel policy does not know the information state {state!r}": (
        "OpenSpiel 的策略里没有信息集 {state!r}"
    ),
    # policies: learned players
    "a network that values actions, learnt by DQN against itself in {steps:.3g} million "
    "steps; plays the best": (
        "给动作估值的网络，DQN 自我对弈 {steps:.3g} 百万步学成；总选估值最高的"
    ),
    "the average of best responses, learnt by NFSP against itself in {steps:.3g} million steps": (
        "各个最佳应对的平均，NFSP 自我对弈 {steps:.3g} 百万步学成"
    ),
    "a network that plays by chance, learnt by PPO against itself in {steps:.3g} million steps": (
        "按概率出招的网络，PPO 自我对弈 {steps:.3g} 百万步学成"
    ),
    "{done:,} of {goal:,} steps": "{done:,} / {goal:,} 步",
    "stopped early, after {done:,} steps": "提前停止，走了 {done:,} 步",
    "weights     {path}  ({size:,.1f} MB)": "权重      {path}（{size:,.1f} MB）",
    "steps       {done:,} in {time} ({rate:,.0f}/s)": (
        "步数      {done:,} 步，用时 {time}（{rate:,.0f} 步/秒）"
    ),
    "to measure: {command}": "要衡量它：{command}",
    "for more steps: {command}": "要再多练：{command}",
    "{path} is a run of {found}, not of {wanted}": "{path} 是 {found} 的训练，不是 {wanted} 的",
    "Decisions to learn from, in both seats. [default: 1e7]": (
        "从多少次决策中学习，两个座位都算。[默认：1e7]"
    ),
    "q: matches to learn from. [default: 5000]": "q：从多少场比赛中学习。[默认：5000]",
    "The file to write. [default: in the user's data]": "写到哪个文件。[默认：在用户数据里]",
    "--matches is for q; others take --steps": "--matches 是给 q 的，其他算法用 --steps",
    "--steps and --threads are for dqn, nfsp and ppo; q takes --matches": (
        "--steps 和 --threads 是给 dqn、nfsp 和 ppo 的，q 用 --matches"
    ),
    "{done:,} of {goal:,} matches": "{done:,} / {goal:,} 场",
    "stopped early, after {done:,} matches": "提前停止，打了 {done:,} 场",
    "for more matches: {command}": "要再多打：{command}",
    "won {won:,} of {matches:,} matches while learning": (
        "边学边打，{matches:,} 场赢了 {won:,} 场"
    ),
    "values      {path}": "价值      {path}",
    "Runs with 1 and the same seed end alike. [default: all cores]": (
        "线程数为 1 而种子相同，结果就相同。[默认：所有核]"
    ),
    "Train a learner by play, and write a file that plays in `zhaifei arena`.\n\n"
    "dqn, nfsp and ppo are OpenSpiel's: they play the full game of two players against themselves, "
    "and need PyTorch: pip install 'zhaifei[rl]'. q is a table of action values for `increment`, "
    "learned against random callers in seconds.\n\n"
    "Ctrl-C or SIGTERM saves the result so far and a checkpoint, from which --resume continues, "
    "and the exit code is 0; a second Ctrl-C quits without saving.": (
        "让一种学习算法边打边学，把学到的写到文件里，文件可以上 `zhaifei arena`。\n\n"
        "dqn、nfsp 和 ppo 是 OpenSpiel 的：自己跟自己打两人的完整规则，需要 PyTorch："
        "pip install 'zhaifei[rl]'。q 是 `increment` 的动作价值表，跟随机叫点的玩家打，几秒学完。"
        "\n\nCtrl-C 或 SIGTERM 会保存到目前为止的结果和一个检查点，"
        "--resume 可以从那里继续，退出码是 0；再按一次 Ctrl-C 就不保存直接退出。"
    ),
    "a Q-learner plays only `increment`, of any size": (
        "Q 学习玩家只打 `increment`，人数和骰子数不限"
    ),
    "{path} does not describe a Q-learner: {error}": "{path} 里不是 Q 学习玩家：{error}",
    "{path} does not describe a Q-learner: its values are not finite numbers of shape {shape}": (
        "{path} 里不是 Q 学习玩家：里面的价值不是形状为 {shape} 的有限数"
    ),
    "tosses a coin whether to challenge, and otherwise names any face: it bluffs always": (
        "开不开靠抛硬币，不开就随便叫一个点数：永远在诈唬"
    ),
    "challenges a bid as often as it is false, given its own dice; otherwise raises to the face of "
    "which it holds most": (
        "按自己的骰子算，一个叫点有多大概率是假的，就以多大概率开；不开就加叫自己手里最多的点数"
    ),
    "a tabular Q-learner, taught by 5,000 matches against random callers when to challenge; names "
    "any face": "表格式 Q 学习：跟随机叫点的玩家打 5000 场，学会什么时候开；叫的点数是随机的",
    "the exact best response to random callers: nobody wins more matches against three": (
        "对随机叫点玩家的精确最佳应对：对上三个这样的玩家，没有谁赢得更多"
    ),
    "a layer of shape {found} and {bias} does not fit {width} inputs": (
        "形状为 {found} 和 {bias} 的一层不适合 {width} 个输入"
    ),
    "weights contain NaN or infinity": "权重中有 NaN 或无穷大",
    "the last layer has {width} outputs; there are {actions} actions": (
        "最后一层有 {width} 个输出；动作有 {actions} 个"
    ),
    "a network plays 'sampled' or 'greedy', not {plays!r}": (
        "网络的出招方式只有 'sampled' 和 'greedy'，没有 {plays!r}"
    ),
    "{path} does not contain a network: {error}": "{path} 里没有网络：{error}",
    "training needs PyTorch: pip install 'zhaifei[rl]'": (
        "训练需要 PyTorch：pip install 'zhaifei[rl]'"
    ),
    # policies: strategy files
    "{path} cannot be loaded: {reason}": "{path} 读不进来：{reason}",
    "{path} cannot be loaded: {type}: {text}": "{path} 读不进来：{type}：{text}",
    "{path} cannot be loaded: {type} in line {line}: {text}": (
        "{path} 读不进来：第 {line} 行 {type}：{text}"
    ),
    "{path} defines no class with the methods {methods}": "{path} 里没有带 {methods} 方法的类",
    "{path} defines several classes with the methods {methods}: {classes}; leave one": (
        "{path} 里有好几个类带 {methods} 方法：{classes}；只能留一个"
    ),
    "no answer within {seconds:g} s": "{seconds:g} 秒内没有回答",
    "its process ended with exit code {code}": "它的进程结束了，退出码 {code}",
    "its process wrote something that is not an answer": "它的进程在回答之间写了别的东西",
    "no longer asked, after {times} processes were lost": "不再问它：已经损失了 {times} 个进程",
    "no longer asked: {error}": "不再问它：{error}",
    "illegal bid: {error}": "不合规则的叫点：{error}",
    "{call} returned {returned}, which is not a bid": "{call} 返回 {returned}，这不是叫点",
    "{call} returned {returned}, not True or False": "{call} 返回 {returned}，不是 True 或 False",
    "{call} raised {type}: {text}": "{call} 抛出 {type}：{text}",
    "{call} raised {type} in line {line}: {text}": "{call} 在第 {line} 行抛出 {type}：{text}",
    "{file} lost {lost:,} of {decisions:,} decisions:": (
        "{file} 的 {decisions:,} 次决定中有 {lost:,} 次作废："
    ),
    "{count:>9,}  {fault}; first with {hand} after [{history}]": (
        "{count:>9,}  {fault}；第一次是手牌 {hand}，叫点 [{history}] 之后"
    ),
    # cli: errors
    "{value!r} is not a positive whole number, like 1e7": "{value!r} 不是正整数（如 1e7）",
    "{value!r} is not a duration, like 90s, 10m or 1h30m": (
        "{value!r} 不是时长（如 90s、10m、1h30m）"
    ),
    "{value!r} is no time at all": "{value!r} 太短了",
    "interrupted": "已中断",
    "internal error: {error!r} (--debug shows where)": "内部错误：{error!r}（用 --debug 查看出处）",
    "--out {out} is the checkpoint itself; name another file": (
        "--out {out} 就是检查点本身；请换一个文件"
    ),
    "{option} cannot be changed by --resume: the checkpoint says": (
        "用 --resume 时不能再给 {option}：以检查点为准"
    ),
    "{error}; the policy is for {rules}": "{error}；这个策略的规则是 {rules}",
    "name one policy, not both {file} and --policy {policy}": (
        "只能指定一个策略，不能既有 {file} 又有 --policy {policy}"
    ),
    "--show-response is about best responses: leave out --against": (
        "--show-response 看的是最佳应对：请去掉 --against"
    ),
    # cli: rules
    "custom rules": "自定规则",
    "{name}: {players} players, 1 die of {faces} faces each": (
        "{name}：{players} 人，每人 1 个 {faces} 面骰子"
    ),
    "{name}: {players} players, {dice} dice of {faces} faces each": (
        "{name}：{players} 人，每人 {dice} 个 {faces} 面骰子"
    ),
    "responses learnt in {seats} seats": "已在 {seats} 个座位上学出应对",
    "a best response is known to gain, per round": "已知最佳应对每局至少多得",
    "lower bound (95%)": "下界（95%）",
    "{rules}, with 跳开": "{rules}，有跳开",
    # cli: solve
    "warning: {error}": "警告：{error}",
    "recall {recall}": "记忆 {recall}",
    "seed {seed}": "种子 {seed}",
    "1 thread": "1 个线程",
    "{threads} threads": "{threads} 个线程",
    "checkpoints go to {path}": "检查点写入 {path}",
    "starting (first run: compiling)": "正在启动（首次运行需要编译）",
    "{done:,} of {goal:,} iterations": "迭代 {done:,} / {goal:,}",
    "{time} left": "还需 {time}",
    "{number:,} information sets": "{number:,} 个信息集",
    "value {value:+.4f}": "期望收益 {value:+.4f}",
    "exploitability {value:.4f}": "可剥削度 {value:.4f}",
    "stopped early, after {done:,} iterations": "提前停止，共迭代 {done:,} 次",
    "policy      {path}  ({size:,.1f} MB)": "策略      {path}（{size:,.1f} MB）",
    "checkpoint  {path}  ({size:,.1f} MB)": "检查点    {path}（{size:,.1f} MB）",
    "iterations  {done:,} in {time} ({rate:,.0f}/s), {number:,} information sets": (
        "迭代      {done:,} 次，用时 {time}（{rate:,.0f} 次/秒），{number:,} 个信息集"
    ),
    "value       {value:+.4f} points for the opener": "期望收益  先手每局 {value:+.4f} 点",
    "exploitable {value:.4f} points per round when last measured; "
    "'zhaifei evaluate' proves it of the file": (
        "可剥削度  最近一次测得每局 {value:.4f} 点；用 zhaifei evaluate 可以证实写出的策略"
    ),
    "openings    {bids}": "首叫      {bids}",
    "for more iterations: {command}": "想多迭代几次：{command}",
    "for the rest: {command}": "接着算完：{command}",
    # cli: query
    "facing {bid}; the bids before it are unknown": "面对 {bid}，不知道之前怎么叫的",
    "facing {bid}, which opened the round": "面对首叫 {bid}",
    "after {history}": "叫过 {history}",
    "opening the round": "由你首叫",
    "hand {hand}, {situation}": "手牌 {hand}，{situation}",
    "{bid} is true with probability {probability:.1%}": "{bid} 成立的概率是 {probability:.1%}",
    "{bid} (seat {seat})": "{bid}（{seat} 号位）",
    "the policy itself never bids like this: the opponent's hand is taken as unknown": (
        "策略自己从不这样叫：对手的手牌按一无所知来算"
    ),
    "the policy itself never bids like this: the hand of who did so is taken as unknown": (
        "策略自己从不这样叫：这样叫的人的手牌按一无所知来算"
    ),
    "with this hand the policy itself would not have bid like you: it may not have "
    "learnt what to do now; look at the values": (
        "拿着这手牌，策略自己不会像你这样叫：现在该怎么办它未必学过，请看期望收益"
    ),
    "action": "动作",
    "probability": "概率",
    "value": "期望收益",
    "not played, best first:": "不会选的，由好到坏：",
    # cli: evaluate
    "{rules}, {time}": "{rules}，用时 {time}",
    "exploitability in {interval}": "可剥削度在 {interval}",
    "what the policy itself earns in each seat": "正在算策略自己在各个座位上的收益",
    "what the best response does": "正在看最佳应对怎么打",
    "best response as opener": "最佳应对（先手）",
    "best response as responder": "最佳应对（后手）",
    "exploitability": "可剥削度",
    "best response in seat {seat}": "最佳应对（{seat} 号位）",
    "  gain in seat {seat}": "  {seat} 号位多赚",
    "NashConv, over all seats": "NashConv（各座位之和）",
    "penalty points per round": "收益（点 / 局）",
    "exact": "精确值",
    "lower bound": "下界",
    "upper bound": "上界",
    "where a best response gains most, per round in its seat": (
        "最佳应对在哪里赚得最多（在该座位平均每局）"
    ),
    "opener": "先手",
    "responder": "后手",
    "opening": "首叫",
    "{gain}  {seat}, {share:.1%} of rounds  {history}": (
        "{gain}  {seat}，占 {share:.1%} 的局  {history}"
    ),
    "    it: {response}  ·  the policy: {policy}": "    应对：{response}  ·  策略：{policy}",
    "nowhere by as much as a ten-thousandth of a point": "没有一处能赚到万分之一点",
    "value in {interval}": "期望收益在 {interval}",
    "as opener": "先手",
    "as responder": "后手",
    "mean": "平均",
    "sampling would need {rounds:,} rounds, half in each seat, to be as sure (95%)": (
        "要靠抽样达到同样的把握（95%），需要打 {rounds:,} 局，先手后手各半"
    ),
    "playing against rule-based players, {count} done": "正在与规则玩家对打，已完成 {count} 个",
    "penalty share ({fair} is fair, ± 95%)": "罚点占比（{fair} 为持平，± 95%）",
    "against them": "策略对它们",
    "they against it": "它们对策略",
    "sampled": "抽样",
    # cli: play, watch
    "there is no seat {seat}: seats are 1 to {players}": (
        "没有 {seat} 号位：座位是 1 到 {players} 号"
    ),
    "no policy is known for these rules ('zhaifei solve' makes one): the rule-based player "
    "'{name}' stands in": (
        "没有这套规则的策略（可以用 zhaifei solve 来解）：由规则玩家 {name} 代替"
    ),
    "no policy is known for these rules: 'zhaifei solve' makes one, which goes to {path}": (
        "没有这套规则的策略：可以用 zhaifei solve 来解，会写入 {path}"
    ),
    "{name} (shipped)": "{name}（自带）",
    "policy {name}: {measure} unknown": "策略 {name}：{measure}未知",
    "policy {name}: {measure} {figure:.4f} (certified)": (
        "策略 {name}：{measure} {figure:.4f}（已证明）"
    ),
    "policy {name}: {measure} {figure:.4f} (measured in training)": (
        "策略 {name}：{measure} {figure:.4f}（求解时测得）"
    ),
    "{name} is not a table of strategies: it can only be evaluated, or be an opponent": (
        "{name} 不是一张策略表：可以衡量它，也可以和它打"
    ),
    "{name} plays only {its}, but you asked for {rules}": "{name} 只会打 {its}，要的是 {rules}",
    "{file} is for {its}, but you asked for {rules}": (
        "{file} 的规则不同：它是 {its}，要的是 {rules}"
    ),
    "Enter for the next round, q to leave > ": "按回车看下一局，q 离开 > ",
    # cli: report
    "{path} and its charts are written, in {time}": "{path} 和里面的图已写好，用时 {time}",
    "rounds of {rules}": "{rules} 的局数",
    "matches of {rules}": "{rules} 的场数",
    "exact values": "精确值",
    "rounds of the shipped policy and {player}": "自带策略和 {player} 的局数",
    "exploitability of {player}": "{player} 的可剥削度",
    "{player} alone in {rules}": "{rules} 中独自一人的 {player}",
    "charts need matplotlib, which is not installed: pip install 'zhaifei[report]'": (
        "画图要用 matplotlib，现在没有安装：pip install 'zhaifei[report]'"
    ),
    # cli: help
    "Chinese or English on screen. [default: the locale's]": (
        "屏幕上用中文（zh）还是英文（en）。  [默认：随系统语言]"
    ),
    "Show tracebacks.": "出错时显示调用栈。",
    "Print one JSON object instead.": "改为输出一个 JSON 对象。",
    "A policy file, or a player's name. [default: of the shipped one and those that you solved for "
    "the rules, the least exploitable as far as is recorded]": (
        "策略文件，或玩家的名字。  [默认：这套规则下自带的和自己解出的之中，记录的可剥削度最低的]"
    ),
    "Compute an approximate Nash strategy and write it to a policy file.\n\n"
    "Ctrl-C or SIGTERM saves the policy so far and a checkpoint, from which --resume goes on, and "
    "the exit code is 0; a second Ctrl-C quits without saving. After a crash, --resume goes on "
    "from the last checkpoint.": (
        "求近似纳什策略，写入策略文件。\n\n"
        "按 Ctrl-C 或收到 SIGTERM 时，保存目前的策略和检查点，以退出码 0 结束，"
        "之后可以用 --resume 接着算；再按一次 Ctrl-C 则不保存，直接退出。"
        "意外中断之后，--resume 从最近的检查点接着算。"
    ),
    "How many play, 2 to 8. [default: 2; where dice are lost 4]": (
        "玩家数，2 到 8。  [默认：2；输骰子的规则是 4]"
    ),
    "Dice of each player. [default: the rules' own]": "每人的骰子数。  [默认：由规则定]",
    "Faces of a die. [default: the rules' own]": "骰子的面数。  [默认：由规则定]",
    "zhaifei, basic (飞 only), liars_dice (OpenSpiel's) or, in the arena, knockout and "
    "increment.": (
        "zhaifei（斋飞）、basic（只有飞）、liars_dice（OpenSpiel 的规则），"
        "竞技场里还有 knockout 和 increment。"
    ),
    "One iteration is one (own hand, opponent hand) pair traversed for each player; a pass that "
    "carries all 252 hands of both counts as 252 * 252. [default: 1e7]": (
        "迭代次数。为每个玩家各遍历一对（自己的手牌，对手的手牌）算一次；"
        "一趟同时带上双方全部 252 种手牌，就算 252 * 252 次。  [默认：1e7]"
    ),
    "The policy file to write. [default: in the user's data]": (
        "要写入的策略文件。  [默认：放在用户数据目录]"
    ),
    "[default: 0]": "随机种子。  [默认：0]",
    "Sampled runs repeat bit for bit with 1 and a seed, others always. [default: all cores]": (
        "线程数。抽样求解在单线程、同一种子下逐位可重复，其他求解总是可重复。  [默认：全部核心]"
    ),
    "Samples, with information sets that remember only this of the bids, the last one first: a "
    "list of bid, face, mode and -, each with an optional <STRENGTH of the last bid, or 'full'. "
    "[default: of two players nothing is forgotten and nothing is sampled; of three and four the "
    "last three bids are remembered; of more, the last two and something of what the others bid "
    "before]": (
        "用抽样求解，信息集对叫点只记得这些，从最后一个叫点往前写："
        "由 bid、face、mode、- 组成的列表，每项后面可以加 <大小（限最后一个叫点），或者写 'full'。"
        "  [默认：两人时什么都不忘，也不抽样；三、四人时记得最后三个叫点；"
        "人再多时记得最后两个，以及其他人之前叫点的一部分]"
    ),
    "Solves what the player single-bid plays, for two players: a game in which everybody remembers "
    "only the last bid and raises 飞 only to 飞 and 斋 only to 斋.": (
        "求玩家 single-bid 的打法，限两人：大家都只记得上一个叫，飞只加叫飞，斋只加叫斋。"
    ),
    "Stop after 90s, 10m, 1h30m, ...": "时间上限，如 90s、10m、1h30m。",
    "Time between checkpoints.": "每隔多久写一次检查点。",
    "Go on from a checkpoint file.": "从检查点文件接着算。",
    "The faces of your dice, like 11346.": "你的骰子点数，如 11346。",
    "The bid you face, alone or after --history.": (
        "你面对的叫点，可以单独给，也可以接在 --history 之后。"
    ),
    "All bids so far, oldest first.": "到目前为止的全部叫点，从先到后。",
    "Another policy: what the one earns against it.": "另一个策略：看对它的收益是多少。",
    "Stop at this narrow interval.": "区间窄到这么多就停。",
    "Stop after 90s, 10m, ...": "时间上限，如 90s、10m。",
    "[default: all cores]": "线程数。  [默认：全部核心]",
    "Also tell the N decisions by which a best response gains most: after which bids, what it does "
    "and what the policy would, how often that comes, and what it gains. Takes longer.": (
        "再列出最佳应对赚得最多的 N 处：在哪些叫点之后，它怎么打，策略会怎么打，"
        "多久遇到一次，能赚多少。用时更长。"
    ),
    "跳开: bids before the last may be challenged too, for more points. From three players on.": (
        "跳开：更早的叫点也可以开，罚点更多。三人起才有。"
    ),
    "A policy file, and the rules that it is for, or a player's name. [default: of the shipped one "
    "and those that you solved for the rules, the least exploitable as far as is recorded, or else "
    "the rule-based player 'probabilistic']": (
        "策略文件（规则也随它定），或玩家的名字。"
        "  [默认：这套规则下自带的和自己解出的之中，记录的可剥削度最低的，"
        "没有就用规则玩家 probabilistic]"
    ),
    "One of those that 'zhaifei players' lists, a policy file, or a .py file with a strategy of "
    "your own. May be repeated; the seats are taken in turn. [default: the policy]": (
        "对手：“zhaifei players”列出的玩家，策略文件，或自己写的 .py 文件。"
        "可以给多个，依次轮流入座。  [默认：策略]"
    ),
    "The same seed and decisions make the same game. [default: drawn]": (
        "随机种子。种子相同、决定相同，牌局就完全相同。  [默认：随机抽取]"
    ),
    "Where you sit.": "你的座位。",
    "Play so many. [default: until you leave]": "打几局。  [默认：打到你离开]",
    "Show what the policy would do in your place.": "提示策略在你的位置上会怎么打。",
    "Show everyone's dice all the time.": "始终显示所有人的骰子。",
    "[default: until you leave; with --fast 1000]": (
        "打几局。  [默认：打到你离开；加 --fast 则为 1000]"
    ),
    "Do not wait, and show the standings only.": "不等待，只显示排名。",
    "Watch policies and rule-based players, one round at a time.\n\n"
    "A --policy sits in seat 1, the opponents in the others; without it the opponents take all "
    "seats. Press Enter for the next round, q to leave.": (
        "看策略和规则玩家对打，一局一局地看。\n\n"
        "用 --policy 指定的策略坐 1 号位，对手坐其余座位；没有指定，就由对手坐满。"
        "按回车看下一局，q 离开。"
    ),
    # arena, players
    "an arena needs 2 players or more, not {given}": "竞技场至少要 2 个玩家，现在是 {given} 个",
    "{name} is named twice: each player enters once": "{name} 写了两次：每个玩家只能参加一次",
    "--single-bid remembers the last bid: leave out --recall": (
        "--single-bid 只记得上一个叫：请去掉 --recall"
    ),
    "--json or --csv, not both": "--json 和 --csv 只能用一个",
    "{done:,} of {planned:,} rounds": "{done:,} / {planned:,} 局",
    "{count} exact values": "{count} 个精确值",
    "{rules} · seed {seed} · {rounds:,} rounds, {time}": (
        "{rules} · 种子 {seed} · {rounds:,} 局，用时 {time}"
    ),
    "stopped early, after {done:,} of {planned:,} rounds": (
        "提前停止，打了 {planned:,} 局中的 {done:,} 局"
    ),
    "penalty points per round that the column takes more than the row: sampled, ± is half the 95% "
    "confidence interval, = is exact": (
        "每局列比行多罚的点数：抽样所得，± 是 95% 置信区间的一半，= 是精确值"
    ),
    "penalty points per round that the column takes more than the row: sampled, ± is half the 95% "
    "confidence interval": "每局列比行多罚的点数：抽样所得，± 是 95% 置信区间的一半",
    "rating": "等级分",
    "points": "罚点",
    "bids": "叫",
    "challenges": "开",
    "right": "开对",
    "true": "叫真",
    "length": "局长",
    "points, bids and challenges are per round; right are challenges of bids that were false; true "
    "are own bids, of those challenged; length is the bids of all in a round": (
        "罚点、叫、开都按每局算；开对：开的叫点是假的；叫真：自己被开的叫点是真的；"
        "局长：一局里所有人叫的次数"
    ),
    "{done:,} of {planned:,} matches": "{done:,} / {planned:,} 场",
    "{rules} · seed {seed} · {matches:,} matches, {time}": (
        "{rules} · 种子 {seed} · {matches:,} 场，{time}"
    ),
    "stopped early, after {done:,} of {planned:,} matches": (
        "提前停止，打了 {planned:,} 场中的 {done:,} 场"
    ),
    "won is the share of matches per seat, {fair:.1%} is fair; ± is half the 95% confidence "
    "interval; dice lost and rounds are per match": (
        "胜率是每个座位赢的场数占比，{fair:.1%} 为持平；± 是 95% 置信区间的一半；"
        "输骰子和局数按每场算"
    ),
    "there are no ratings: some never won a match against some others": (
        "没有等级分：有些玩家从没赢过另一些玩家"
    ),
    "how much more of the matches the row wins than the column, per seat": (
        "行比列多赢的场数占比，按座位计"
    ),
    "the share of matches that the row wins alone, all other seats the column's": (
        "行独自一人、其余座位都是列时，行赢的场数占比"
    ),
    "who never won a match has no rating": "从没赢过的玩家没有等级分",
    "who never lost a round has no rating": "从没输过的玩家没有等级分",
    "won": "胜率",
    "dice lost": "输骰子",
    "rounds": "局数",
    "out of turn": "抢开",
    "invalid bids": "无效的叫",
    "bids and challenges are per round that the player had dice in; right are challenges of bids "
    "that were false; true are own bids, of those challenged; length is the bids of all in a "
    "round": (
        "叫、开都按玩家还有骰子的局算；开对：开的叫点是假的；叫真：自己被开的叫点是真的；"
        "局长：一局里所有人叫的次数"
    ),
    "there are no ratings: some never lost a round to some others": (
        "没有等级分：有些玩家从没输给另一些玩家"
    ),
    "About so many at each table; where dice are lost, so many matches. [default: 1e5; about 4,000 "
    "matches in all, but 80 or so at each table]": (
        "每桌大约打几局；输骰子的规则是打几场。"
        "  [默认：1e5 局；比赛总共约 4000 场，但每桌至少 80 场左右]"
    ),
    "The same seed, the same tables.": "随机种子。种子相同，结果就相同。",
    "Print CSV instead: a line for each player.": "改为输出 CSV：每个玩家一行。",
    "Let players meet, everybody in every seat with the same dice, and rate them.\n\n"
    "A PLAYER is one of those that 'zhaifei players' lists, a policy file, or a .py file with a "
    "strategy of your own; without any, all that play by the rules meet, and the policy that is "
    "known for them.\n\n"
    "Of two players every pair meets. Of more, every choice of so many sits at a table; if fewer "
    "are named than there are seats, each sits alone among copies of each other one. Policies for "
    "two players that are tables are compared by exact values too. With --rules knockout or "
    "increment matches are played until one player has dice left. Ctrl-C prints the results so "
    "far.": (
        "让玩家互相对打，骰子相同，每人坐遍每个座位，然后评分。\n\n"
        "PLAYER 是 'zhaifei players' 列出的名字，策略文件，或自己写的 .py 文件；一个都不写，"
        "就是会这套规则的全部玩家，加上这套规则下已有的策略。\n\n"
        "两人时，每两个都对打。多人时，每一种凑满一桌的组合都打；写的玩家坐不满一桌时，"
        "就让每一个单独与另一个的几个分身同桌。两人的策略如果是表，还给出精确值。"
        "--rules 是 knockout 或 increment 时，一场打到只有一个玩家还有骰子为止。"
        "按 Ctrl-C 输出目前的结果。"
    ),
    "and your own: a .py file with a class that has the methods challenge_bid(seen) and "
    "make_bid(seen)": (
        "还有自己写的：一个 .py 文件，里面的类有 challenge_bid(seen) 和 make_bid(seen) 两个方法"
    ),
    "{rules} only": "只限 {rules}",
    "all rules": "所有规则",
    "zhaifei, two players with five dice each": "zhaifei，两人，每人五个骰子",
    "The page to write.": "要写的报告文件。",
    "At each table of two, about.": "两人桌每桌大约打多少局。",
    "Of each player of increment alone among random callers, about.": (
        "increment 里每个玩家独自对随机叫家大约打多少场。"
    ),
    "For the search for best responses to each player.": "给每个玩家找最佳应对用的时间。",
    # click
    "Usage:": "用法:",
    "Options": "选项",
    "Commands": "命令",
    "[OPTIONS]": "[选项]",
    "COMMAND [ARGS]...": "命令 [参数]...",
    "required": "必填",
    "default: {default}": "默认：{default}",
    "Show the version and exit.": "显示版本后退出。",
    "Show this message and exit.": "显示本说明后退出。",
    "No such option {name!r}.": "没有选项 {name!r}。",
    "No such command {name!r}.": "没有命令 {name!r}。",
    "Did you mean {possibility}?": "是不是 {possibility}？",
    "(Did you mean one of: {possibilities}?)": "是不是其中之一：{possibilities}？",
    "Missing command.": "缺少命令。",
    "Missing option": "缺少选项",
    "Missing argument": "缺少参数",
    "Option {name!r} requires an argument.": "选项 {name!r} 后面要有值。",
    "Option {name!r} does not take a value.": "选项 {name!r} 后面不能有值。",
    "Got unexpected extra argument ({args})": "多了一个参数（{args}）",
    "Got unexpected extra arguments ({args})": "多了几个参数（{args}）",
    "Invalid value for {param_hint}: {message}": "{param_hint} 的值不对：{message}",
    "{value!r} is not a valid {number_type}.": "{value!r} 不是合法的 {number_type}。",
    "{value} is not in the range {range}.": "{value} 不在 {range} 之内。",
    "{value!r} is not one of {choices}.": "{value!r} 不是 {choices} 之一。",
    # help of commands, as reworded
    "Advise what to do with a hand against a bid: the whole strategy, with "
    "values.\n\nWithout --bid and --history: how to open. With --bid alone, that bid "
    "opened the round if it can; otherwise the bids before it are unknown.": (
        "这手牌面对这个叫点该怎么办：完整的策略和期望收益。\n\n不给 --bid 和 --history：问首叫。只给 --bid：能作首叫的就当作首叫，否则视为之前怎么叫的不知道。"
    ),
    "List the players that have names, by the rules that they are for, and what each does.": (
        "有哪些有名字的玩家：各自用于哪套规则，怎么打。"
    ),
    "Measure all players in every variant, and write a page of results.\n\nEverybody "
    "meets in the arena of each variant; best responses tell how exploitable each "
    "player of the two-player game is. The page is Markdown in English, with a "
    "directory of SVG charts beside it. Needs matplotlib: pip install "
    "'zhaifei[report]'.": (
        "在每套规则里衡量所有玩家，写成一页结果。\n\n各套规则的玩家都上竞技场较量；最佳应对说明两人规则的每个玩家有多少可剥削。页面是英文的 "
        "Markdown，旁边有一个 SVG 图的目录。要用 matplotlib：pip install 'zhaifei[report]'。"
    ),
    "Measure how exploitable a policy is, in the full game with perfect "
    "recall.\n\nThe bounds are certified: a best response that sees the whole "
    "history earns no less than the lower and no more than the upper one. Small "
    "games are evaluated exactly. Ctrl-C prints the bounds so far. Then the share of "
    "all penalty points that the policy takes among copies of each rule-based "
    "player, and each of these among copies of the policy, from sampled rounds in "
    "all seats.\n\nFILE and --against may be players of 'zhaifei players' too. "
    "Networks are asked for what they do: their lower bound is the one to look at, "
    "and gets better the longer it takes.\n\nWith --against, what FILE earns against "
    "the other policy: an interval without sampling error.": (
        "衡量策略的可剥削度：按完整的博弈、完美的记忆。\n\n上下界是严格的：看得到全部叫点的最佳应对，所得不低于下界，不高于上界。小的博弈给出精确值。按 "
        "Ctrl-C 输出目前的上下界。然后在各个座位上抽样打若干局，看策略与几个同样的规则玩家同桌时，罚点占全桌的几成，以及反过来占几成。\n\nFILE 和 "
        "--against 也可以是 'zhaifei players' 列出的玩家。神经网络只能一处一处地问它怎么打：要看的是下界，时间越长下界越高。\n\n加上 "
        "--against，则是 FILE 对另一个策略的收益：一个没有抽样误差的区间。"
    ),
    "Play against policies and rule-based players.\n\nType 飞5x4, f5x4 or 五个四 to bid, "
    "c or 开 to challenge, ? for help, q to leave. Input may also come from a pipe, a "
    "line for each decision.": (
        "与策略和规则玩家对打。\n\n输入 飞5x4、f5x4 或 五个四 表示叫，c 或 开 表示开，? 看帮助，q 离开。也可以从管道输入，每个决定一行。"
    ),
    "Solve Liar's Dice as it is played in China (斋飞), with five dice each.\n\nBids "
    "are written 飞4x6 or f4x6 (ones wild) and 斋2x5 or z2x5 (ones not wild).": (
        "斋飞：求解大话骰的中国玩法，每人五个骰子。\n\n叫点写作 飞4x6 或 f4x6（1 点万能），斋2x5 或 z2x5（1 点不万能）。"
    ),
}
