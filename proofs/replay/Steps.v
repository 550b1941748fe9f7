(** The steps by which statements are seen to put a term into a buffer: which lemma is used where, with evidence for what it asks; and
    what the steps have in common. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Readings.
Import ListNotations.
Open Scope Z_scope.

(** Where a term goes: a buffer with its extents, layers, what cells hold before, and the algebra that they are added in. *)
Record target := Target { into : string; ring : nat; extents : list term; layers : list layer; held_before : kind }.

Definition lift_target (to : target) : target :=
  Target (into to) (ring to) (map lift (extents to)) (map lift_layer (layers to)) (held_before to).
Definition under_layer (x : layer) (to : target) : target :=
  Target (into to) (ring to) (extents to) (x :: layers to) (held_before to).
Definition adding (to : target) : target := Target (into to) (ring to) (extents to) (layers to) Adding.

(** A row of a window that moves up by one: what its bounds and cells ask, and evidence. *)
Record moving := Moving {
  bounds : list (list evidence); in_order : evidence; low : evidence; high : evidence; from_zero : evidence; to_end : evidence;
  cells_ : list (list evidence); here : evidence; above : evidence
}.

(** How a statement fills: evidence is for what the constructor's lemma asks, in its order. In rows of evidence ([reads]) is what the
    index terms and conditions of the statement itself ask. *)
Inductive how :=
| Stored (reads : list evidence) (cell kept : evidence) (r : reading)
| Loop (extent : evidence) (reads : list evidence) (lo : evidence) (reads' : list evidence) (hi : evidence) (h : how)
| Once (e : evidence) (h : how)
| Never (e : evidence)
| Written (n : Z) (e : evidence) (ps : pieces)
| Cutting (extent : evidence) (reads : list (list evidence)) (lo middle : evidence) (each : list evidence) (lane order : evidence) (h z : how)
| Resting (extent : evidence) (reads : list (list evidence)) (lo : evidence) (each : list evidence) (lane order : evidence) (h : how)
| Summed (reads : list evidence) (lo : evidence) (reads' : list evidence) (hi : evidence) (h : how)
| Summed_once (e : evidence) (h : how)
| Guarded (reads : list evidence) (e dropped : evidence) (h : how)
| Switched (reads : list evidence) (e dropped : evidence) (h : how)
| Guarded_else (reads : list evidence) (e : evidence) (h z : how)
| Guarded_true (e : evidence) (h : how)
| Guarded_false (e : evidence)
| Selected (reads : list evidence) (e : evidence) (h z : how)
| Selected_true (e : evidence) (h : how)
| Selected_false (e : evidence) (h : how)
| Added (count : nat) (h z : how)
| Let_new (a : nat) (s : list term) (same : list evidence) (count : nat) (m h : how)
| Let_there (a : nat) (s : list term) (same : list evidence) (count : nat) (m h : how)
| Let_unread (h : how)
| Reshaped (stay : list evidence) (e : evidence) (h : how)
| Joined (count : nat) (e : evidence) (h z : how)
| Spared (h : how)
| Either (reads : list evidence) (h z : how)
(** What is updated: the steps of [Updates.v]. *)
| Replaced (reads : list evidence) (cell : evidence) (asked : list evidence) (r : reading)
| Pointed (i : term) (extent asked : evidence) (h z : how)
| Pointed_if (i : term) (extent : evidence) (reads : list evidence) (e : evidence) (h z : how)
| Swept (up : bool) (from count : term) (extent : evidence) (reads : list evidence) (lo : evidence) (reads' : list evidence) (hi asked : evidence) (h z : how)
| Selected_other (reads : list evidence) (e : evidence) (h z : how)
| Stays (row : list evidence) (cell : evidence)
| Unheld (e : evidence)
| Iterated (ss : beginnings) (reads : list evidence) (lo : evidence) (reads' : list evidence) (hi : evidence) (ms : makings) (h : how)
| Carried (a : nat) (m : Z) (count : nat) (rows extent : evidence) (reads : list (list evidence)) (lo hi sizes first bottom top : evidence)
    (b l : how) (ms : list moving) (h : how)
with pieces := Last (h : how) | More (w : Z) (count : nat) (h : how) (ps : pieces)
(** For each state its algebra, its home's buffer, its extents, the elements that the home holds before a round and those that may change
    in it, and how it begins, as other terms do ([filled]) or in cells that are updated. *)
with beginnings :=
| Begun
| Begins (filled : bool) (a : nat) (b : string) (s : list term) (same : list evidence) (held changed : predicate) (count : nat) (h : how) (ss : beginnings)
(** For each new state that a round makes, which it is, and how. *)
with makings := Made | Makes (state count : nat) (h : how) (ms : makings).

(** * Parts of statements and terms *)
Fixpoint first_words (n : nat) (p : loop_word) : loop_word :=
  match n, p with S O, LSeq p _ => p | S n, LSeq p q => LSeq p (first_words n q) | _, p => p end.
Fixpoint last_words (n : nat) (p : loop_word) : loop_word :=
  match n, p with S n, LSeq _ q => last_words n q | O, p => p | _, _ => LSkip end.
Fixpoint more_words (n : nat) (p : loop_word) : bool :=
  match n, p with S O, LSeq _ _ => true | S n, LSeq _ q => more_words n q | _, _ => false end.

(** Iterations of a loop from one on, so many. *)
Definition part := option (Z * Z).
Definition extent_of (d : nat) (vs : list term) (o : part) (n : term) : term := match o with Some (_, w) => Lit w | None => close d vs n end.
Definition variable_of (o : part) (i : term) : term := match o with Some (k, _) => Op Add (Lit k) i | None => i end.

Fixpoint mentions (k : nat) (t : term) : bool :=
  match t with Bound l => Nat.eqb k l | Op _ a b => mentions k a || mentions k b | Read _ ts => existsb (mentions k) ts | _ => false end.
Fixpoint asks (k : nat) (p : predicate) : bool :=
  match p with
  | True_ | False_ => false
  | Cmp _ a b => mentions k a || mentions k b
  | Not p => asks k p
  | And p q | Or p q => asks k p || asks k q
  end.

(** * What is asked *)
Definition names_of (g : goal) : list string := flat_map (fun b => match b with Some (x, _, _) => [x] | None => [] end) (tensors g).
Definition free_of (g : goal) (y : string) : bool := forallb (fun x => negb (String.eqb x y)) (names_of g).
Definition apart_word (g : goal) (b : string) : bool :=
  free_of g b && forallb (fun x => free_of g (fst x) && negb (String.eqb (fst x) b)) (spare g).

Definition has_law (g : goal) (a : nat) (l : law) : bool :=
  existsb (fun x => Nat.eqb (fst x) a && match snd x, l with
    Add_0_l, Add_0_l | Add_0_r, Add_0_r | Add_assoc, Add_assoc => true | _, _ => false end) (lawful g).

Definition is_unset (k : kind) : bool := match k with Unset => true | _ => false end.
Definition is_adding (k : kind) : bool := match k with Adding => true | _ => false end.

(** Cells of which nothing is stored are zero, or stay what they are. *)
Definition padding (g : goal) (to : target) : bool :=
  match held_before to with Unset => false | Zeroed => true | Adding => has_law g (ring to) Add_0_r end.

Fixpoint same_extents (g : goal) (s r : list term) (es : list evidence) : bool :=
  match s, r, es with
  | [], [], [] => true
  | n :: s, m :: r, e :: es => equals g n m e && same_extents g s r es
  | _, _, _ => false
  end.
(** As much room; of leading extents there may be more, each of which is 1. *)
Fixpoint same_room (g : goal) (s r : list term) (es : list evidence) : bool :=
  same_extents g s r es ||
  match s, es with n :: s, e :: es => equals g n (Lit 1) e && same_room g s r es | _, _ => false end.

(** Inside of a loop over [n]. *)
Definition iterating (n : term) (g : goal) : goal := assuming (Cmp Lt (Free 0) (lift n)) (assuming (Cmp Le (Lit 0) (Free 0)) (entered g)).

(** An index of this rank, its box, and that it is kept, as entries and facts. *)
Fixpoint times {T} (n : nat) (f : T -> T) (x : T) : T := match n with O => x | S n => times n f (f x) end.
Fixpoint box_term (is s : list term) : predicate :=
  match is, s with i :: is, n :: s => And (inside i n) (box_term is s) | _, _ => True_ end.
Definition kept_only (g : goal) (to : target) (s : list term) (p : predicate) (e : evidence) : bool :=
  let r := List.length s in
  let is := map Free (rev (seq 0 r)) in
  let g' := times r entered g in
  let to' := times r lift_target to in
  shown (assuming (kept_term (layers to') is) (assuming (box_term is (times r (map lift) s)) g')) (times r lift_predicate p) e.

(** A condition around statements; nothing stands beside them. *)
Definition conditioned (g : goal) (to : target) (s us : list term) (q : test_word) (p : predicate) (reads : list evidence) (e dropped : evidence) : bool :=
  spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) p e &&
  match held_before to with Unset => kept_only g to s p dropped | _ => padding g to end.

(** * Windows that are carried along a loop *)

(** The term has the same elements whichever its variables stand for. *)
Fixpoint agree (d : nat) (vs us : list term) (t : tensor_word) : bool :=
  let same i := same_term (close d vs i) (close d us i) in
  let alike p := same_predicate (close_predicate d vs p) (close_predicate d us p) in
  match t with
  | ETensor _ | EConst _ => true
  | EIndex _ i => same i
  | EView t | EOne _ t => agree d vs us t
  | ETwo _ t u | EPlus _ t u => agree d vs us t && agree d vs us u
  | EThree _ t u x => agree d vs us t && agree d vs us u && agree d vs us x
  | EGen n t | ESum _ n t => same n && agree (S d) (Free 0 :: map lift vs) (Free 0 :: map lift us) t
  | EGuard _ p t => alike p && agree d vs us t
  | ESelect p t u => alike p && agree d vs us t && agree d vs us u
  | EGet _ n t i => same n && same i && agree d vs us t
  | ELet _ _ | EOp _ _ _ _ | EConcat _ _ _ _ _ _ | EIterate _ _ _ _ => false
  end.

(** The cell [k, i] of a matrix of [n] by [w], for each [i]. *)
Definition cell_ok (g : goal) (us : list term) (n : Z) (w : term) (k : Z) (i : index_word) (reads : list evidence) (e : evidence) : bool :=
  let g' := iterating w g in
  let us' := Free 0 :: map lift us in
  spent (index_ok g' us' i reads) &&
  equals g' (close (deep g') us' (index_term i)) (flat_term [Lit n; lift w] [Lit k; Free 0]) e.

Definition row_ok (g : goal) (us : list term) (n : Z) (w : term) (k : Z) (lo hi lo' hi' d e : index_word) (x : moving) : bool :=
  match bounds x, cells_ x with
  | [r1; r2; r3; r4], [r5; r6] =>
      let own i := close (deep g) us (index_term i) in
      shown g (And (And (Cmp Le (Lit 0) w) (Cmp Eq (Lit (k + 1)) (Op Add (Lit k) (Lit 1)))) (And (Cmp Le (Lit 0) (Lit k)) (Cmp Lt (Lit (k + 1)) (Lit n)))) (in_order x) &&
      spent (index_ok g us lo r1) && equals g (own lo) (Op Mul (Lit k) w) (low x) &&
      spent (index_ok g us hi r2) && equals g (own hi) (Op Mul (Lit (k + 1)) w) (high x) &&
      spent (index_ok g us lo' r3) && equals g (own lo') (Lit 0) (from_zero x) && spent (index_ok g us hi' r4) && equals g (own hi') w (to_end x) &&
      cell_ok g us n w k d r5 (here x) && cell_ok g us n w (k + 1) e r6 (above x)
  | _, _ => false
  end.

(** Rows from [k] on move, to the one before the last. *)
Fixpoint rows_ok (g : goal) (us : list term) (b : string) (n : Z) (w : term) (p : loop_word) (k : Z) (xs : list moving) : bool :=
  match xs, p with
  | [x], LSeq (LForget b1 lo hi) (LFor lo' hi' (LStore b2 d (VLoad b3 e))) =>
      String.eqb b1 b && String.eqb b2 b && String.eqb b3 b && (k + 2 =? n) && row_ok g us n w k lo hi lo' hi' d e x
  | x :: xs, LSeq (LForget b1 lo hi) (LSeq (LFor lo' hi' (LStore b2 d (VLoad b3 e))) p) =>
      String.eqb b1 b && String.eqb b2 b && String.eqb b3 b && row_ok g us n w k lo hi lo' hi' d e x && rows_ok g us b n w p (k + 1) xs
  | _, _ => false
  end.

(** * Reshape operators: what a lemma asks of the extents, those of the operand, where its elements go, and whether others are padding *)
Definition eq_ (a b : term) : predicate := Cmp Eq a b.
Definition le_ (a b : term) : predicate := Cmp Le a b.
Definition lt_ (a b : term) : predicate := Cmp Lt a b.

Definition diagonals (n m r q : term) : predicate :=
  And (eq_ r (Op Sub (Op Add n m) (Lit 1))) (And (eq_ q (Op Min n m)) (And (lt_ (Lit 0) n) (lt_ (Lit 0) m))).

Definition reshaping (k : kind) (o : operator) (s : list term) : option (predicate * list term * list layer * bool) :=
  match o, s with
  | Transposed n m, _ :: _ :: s => Some (True_, n :: m :: s, [Swapped], false)
  | Rotated n m r, _ :: _ :: _ :: s => Some (True_, n :: m :: r :: s, [Front], false)
  | Unrotated r n m, _ :: _ :: _ :: s => Some (True_, r :: n :: m :: s, [Back], false)
  | Flattened n m, r :: s => Some (And (eq_ r (Op Mul n m)) (And (le_ (Lit 0) n) (le_ (Lit 0) m)), n :: m :: s, [Merged m], false)
  | Cropped n, r :: s => Some (le_ r n, n :: s, [Kept r None], false)
  | Cropped_left n d, r :: s => Some (And (le_ (Op Add r d) n) (le_ (Lit 0) d), n :: s, [Kept r (Some d)], false)
  | Padded n, r :: s => Some (le_ n r, n :: s, [], true)
  | Padded_left n d, r :: s => Some (And (And (le_ (Op Add n d) r) (le_ r (Op Add n d))) (le_ (Lit 0) d), n :: s, [Raised d], true)
  | Parted n d, q :: r :: s =>
      let own := And (lt_ (Lit 0) d) (eq_ r d) in
      let all := Op Mul q d in
      if is_unset k then Some (And own (And (le_ n all) (le_ all n)), n :: s, [Divided d], false)
      else Some (And own (le_ n all), n :: s, [Divided d], true)
  | Hot i, r :: s => Some (inside i r, s, [Row i], true)
  | Sheared n m, r :: q :: s => Some (diagonals n m r q, n :: m :: s, [Slant n], true)
  | Unsheared r q n m, _ :: _ :: s => Some (diagonals n m r q, r :: q :: s, [Upright n m], false)
  | _, _ => None
  end.

Definition close_operator (f : term -> term) (o : operator) : operator :=
  match o with
  | Transposed n m => Transposed (f n) (f m)
  | Rotated n m r => Rotated (f n) (f m) (f r)
  | Unrotated r n m => Unrotated (f r) (f n) (f m)
  | Flattened n m => Flattened (f n) (f m)
  | Cropped n => Cropped (f n)
  | Cropped_left n d => Cropped_left (f n) (f d)
  | Padded n => Padded (f n)
  | Padded_left n d => Padded_left (f n) (f d)
  | Parted n d => Parted (f n) (f d)
  | Hot i => Hot (f i)
  | Sheared n m => Sheared (f n) (f m)
  | Unsheared r q n m => Unsheared (f r) (f q) (f n) (f m)
  end.

(** The operand's extents that the result has as well, in the result's order. *)
Definition staying (o : operator) : list term :=
  match o with
  | Transposed n m => [m; n]
  | Rotated n m r => [r; n; m]
  | Unrotated r n m => [n; m; r]
  | Unsheared _ _ n m => [n; m]
  | _ => []
  end.
