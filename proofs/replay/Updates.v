(** States that are updated where they are, replayed: [update] follows the steps along statement and term, for cells of a home. That what it
    accepts is so, is proved in [Updated.v]. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Steps.
Import ListNotations.
Open Scope Z_scope.

(** The home of a state: a buffer, the state's extents, the buffer's, and the layers in between; and the elements that are to be there and
    those that may change, where [Bound k] is index [k] of an element. *)
Record cells_word := Cells { of_buffer : string; of_state : list term; of_room : list term; through : list layer; changing : predicate; wanted : predicate }.

Definition lift_cells (x : cells_word) : cells_word :=
  Cells (of_buffer x) (map lift (of_state x)) (map lift (of_room x)) (map lift_layer (through x)) (raise_predicate (changing x))
    (raise_predicate (wanted x)).

(** In the buffer fewer elements are known: those for which this holds as well. *)
Definition fewer_entry (b : string) (q : predicate) (x : entry) : entry :=
  let '(y, s, w) := x in
  if String.eqb y b then (y, s, Some match w with Some (r, ls, ps) => (r, ls, ps ++ [q]) | None => (s, [], [q]) end) else x.
Definition knowing (ts : list (option entry)) (g : goal) : goal :=
  Goal (deep g) (facts_ g) (generals g) ts (spare g) (lists g) (lawful g).
Definition fewer_known (b : string) (q : predicate) (g : goal) : goal := knowing (map (option_map (fewer_entry b q)) (tensors g)) g.

(** An element has other first indices than these, or a next one outside of the range, or another condition holds. *)
Fixpoint beside (k : nat) (pre : list term) (rest : predicate) : predicate :=
  match pre with [] => rest | i :: pre => Or (Cmp Lt (Bound k) i) (Or (Cmp Lt i (Bound k)) (beside (S k) pre rest)) end.
Definition apart_from (pre : list term) (lo hi : term) (changed : predicate) : predicate :=
  let y := Bound (List.length pre) in
  beside 0 pre (Or (Or (Cmp Lt y lo) (Cmp Le hi y)) (Not changed)).

(** The term inside of loops at these indices, those that are left, and what the variables stand for. *)
Fixpoint peel (t : tensor_word) (ys vs : list term) : tensor_word * list term * list term :=
  match t, ys with EGen _ t, y :: ys => peel t ys (y :: vs) | _, _ => (t, ys, vs) end.

Fixpoint all_inside (g : goal) (s is : list term) (es : list evidence) : bool :=
  match s, is, es with [], [], [] => true | n :: s, i :: is, e :: es => shown g (inside i n) e && all_inside g s is es | _, _, _ => false end.

(** Element [ys] of the term is an element of a tensor that is known, in this cell. *)
Definition same_cell (g : goal) (b : string) (cell : term) (vs : list term) (ks : list nat) (t : tensor_word) (ys : list term)
    (row : list evidence) (e : evidence) : bool :=
  let '(t, rest, vs) := peel t ys vs in
  match read_at t [] with
  | Some (k, is) =>
      match nth_error ks k with
      | Some k =>
          match nth_error (tensors g) k with
          | Some (Some (b', s, w)) =>
              let own := map (fun x => close (deep g) vs (snd x)) is ++ rest in
              let n := List.length is in
              String.eqb b' b && in_reach g vs (firstn n s) is (firstn n row) &&
              all_inside g (skipn n s) rest (firstn (List.length rest) (skipn n row)) && there_ok g w own (skipn (n + List.length rest) row) &&
              equals g cell (cell_term_of s w own) e
          | _ => false
          end
      | None => false
      end
  | None => false
  end.

(** New indices for as many extents, in their ranges. *)
Definition new_indices (r : nat) : list term := map Free (rev (seq 0 r)).
Definition among (g : goal) (s : list term) : goal :=
  let r := List.length s in
  assuming True_ (assuming (box_term (new_indices r) (times r (map lift) s)) (times r entered g)).

Fixpoint update (h : how) (g : goal) (to : cells_word) (pre s us : list term) (p : loop_word) (vs : list term) (ks : list nat) (t : tensor_word)
    {struct h} : bool :=
  let shut_predicate := close_predicate (deep g) vs in
  let own w := close (deep g) us (index_term w) in
  let pre' := map lift pre ++ [Free 0] in
  (* the iterations whose index is this, of which no statement is *)
  let others n q z := update z (assuming q (iterating n g)) (lift_cells to) pre' (tl (map lift s)) (map lift us) LSkip (Free 0 :: map lift vs) ks in
  match h with
  | Replaced reads cell asked r =>
      match s, p with
      | [], LReplace b i v =>
          String.eqb b (of_buffer to) && spent (index_ok g us i reads) && equals g (own i) (cell_term (of_room to) (through to) pre) cell &&
          shown g (close_predicate 0 pre (changing to)) (match asked with [_; e] => e | _ => Plainly end) && reads_ok g us vs ks v t r
      | _, _ => false
      end
  | Loop extent reads lo reads' hi h =>
      match s, p, t with
      | n' :: s, LFor l u q, EGen n t =>
          let n := close (deep g) vs n in
          equals g n' n extent && spent (index_ok g us l reads) && equals g (own l) (Lit 0) lo &&
          spent (index_ok g us u reads') && equals g (own u) n hi && forallb is_closed pre' &&
          update h (fewer_known (of_buffer to) (apart_from (map lift pre) (Lit 0) (Free 0) (raise_predicate (changing to))) (iterating n g)) (lift_cells to)
            pre' (map lift s) (Free 0 :: map lift us) q (Free 0 :: map lift vs) ks t
      | _, _, _ => false
      end
  | Pointed i extent asked h z =>
      match s, t with
      | n' :: s, EGen n t =>
          let n := close (deep g) vs n in
          let c := close (deep g) us i in
          equals g n' n extent && shown g (inside c n) asked && update h g to (pre ++ [c]) s us p (c :: vs) ks t &&
          others n (Not (Cmp Eq (Free 0) (lift c))) z t
      | _, _ => false
      end
  | Pointed_if i extent reads e h z =>
      match s, p, t with
      | n' :: s, LIf q p LSkip, EGen n t =>
          let n := close (deep g) vs n in
          let c := close (deep g) us i in
          equals g n' n extent && spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) (inside c n) e &&
          update h (assuming (inside c n) g) to (pre ++ [c]) s us p (c :: vs) ks t && others n (Not (Cmp Eq (Free 0) (lift c))) z t
      | _, _, _ => false
      end
  | Selected reads e h z =>
      match p, t with
      | LIf q p' z', ESelect c t u =>
          spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) (shut_predicate c) e &&
          update h (assuming (shut_predicate c) g) to pre s us p' vs ks t && update z (assuming (Not (shut_predicate c)) g) to pre s us z' vs ks u
      | _, _ => false
      end
  | Selected_other reads e h z =>
      match p, t with
      | LIf q p' z', ESelect c t u =>
          spent (test_ok g us q reads) && alike g (close_predicate (deep g) us (test_term q)) (Not (shut_predicate c)) e &&
          update h (assuming (Not (shut_predicate c)) g) to pre s us p' vs ks u &&
          update z (assuming (Not (Not (shut_predicate c))) g) to pre s us z' vs ks t
      | _, _ => false
      end
  | Selected_true e h => match t with ESelect c t _ => shown g (shut_predicate c) e && update h g to pre s us p vs ks t | _ => false end
  | Selected_false e h => match t with ESelect c _ u => denied g (shut_predicate c) e && update h g to pre s us p vs ks u | _ => false end
  | Stays row e =>
      let r := List.length s in
      let to := times r lift_cells to in
      let own := times r (map lift) pre ++ new_indices r in
      match p with
      | LSkip =>
          same_cell (assuming (close_predicate 0 own (wanted to)) (among g s)) (of_buffer to) (cell_term (of_room to) (through to) own)
            (times r (map lift) vs) ks t (new_indices r) row e
      | _ => false
      end
  | Unheld e =>
      let r := List.length s in
      let own := times r (map lift) pre ++ new_indices r in
      match p with LSkip => shown (assuming (close_predicate 0 own (wanted (times r lift_cells to))) (among g s)) False_ e | _ => false end
  | _ => false
  end.

(** * Homes of the states of an iteration *)

(** In the predicates of a home that is not of one round, the number of a round comes after the indices. *)
Definition own_indices (d : nat) : list term := map Bound (seq 0 d).
Definition of_round (d : nat) (r : term) (p : predicate) : predicate := close_predicate 0 (own_indices d ++ [r]) p.
Definition home_entry (x : cells_word) (r : term) : entry :=
  (of_buffer x, of_state x, Some (of_room x, through x, [True_; of_round (List.length (of_state x)) r (wanted x)])).
(** What a round makes of a state that changes where it is. *)
Definition in_round (x : cells_word) (now next : term) : cells_word :=
  let d := List.length (of_state x) in
  Cells (of_buffer x) (of_state x) (of_room x) (through x) (of_round d now (changing x)) (of_round d next (wanted x)).
Definition begins_as (x : cells_word) : cells_word :=
  Cells (of_buffer x) (of_state x) (of_room x) (through x) True_ (of_round (List.length (of_state x)) (Lit 0) (wanted x)).

(** Where each state is, and what is known besides: its home is where the term goes, at most once, or scratch that is there. *)
Definition keeps_each (x : layer) : bool := match x with Kept _ _ | Upright _ _ => false | _ => true end.
Fixpoint homes_of (ss : beginnings) (g : goal) (to : target) (s us : list term) (used : bool) : option (list cells_word * goal * bool) :=
  match ss with
  | Begun => Some ([], g, used)
  | Begins _ _ b d same held changed _ _ ss =>
      let closed := close_predicate (deep g) (own_indices (S (List.length d)) ++ us) in
      let home r ls := Cells b d r ls (closed changed) (closed held) in
      if String.eqb b (into to) then
        if negb used && negb (is_adding (held_before to)) && forallb keeps_each (layers to) && same_extents g s d same then
          match homes_of ss g to s us true with Some (hs, g, used) => Some (home (extents to) (layers to) :: hs, g, used) | None => None end
        else None
      else
        match List.find (fun z => String.eqb (fst z) b) (spare g) with
        | Some (_, r) =>
            if same_room g r d same then
              match homes_of ss (sparing (filter (fun z => negb (String.eqb (fst z) b)) (spare g)) g) to s us used with
              | Some (hs, g, used) => Some (home d [] :: hs, g, used)
              | None => None
              end
            else None
        | None => None
        end
  end.

(** The first statements, and the others. *)
Fixpoint split_words (n : nat) (p : loop_word) : loop_word * loop_word :=
  match n, p with
  | O, p => (LSkip, p)
  | S O, LSeq p q => (p, q)
  | S n, LSeq p q => let (a, b) := split_words n q in (LSeq p a, b)
  | _, p => (p, LSkip)
  end.

(** No scratch is the buffer, or that of a known tensor; and what is known in the buffer is in the cells of the home. *)
Definition clear_word (g : goal) (b : string) : bool := forallb (fun x => free_of g (fst x) && negb (String.eqb (fst x) b)) (spare g).
Fixpoint term_eqb (a b : term) : bool :=
  match a, b with
  | Lit x, Lit y => x =? y
  | Free k, Free l | Bound k, Bound l => Nat.eqb k l
  | Op o a b, Op p d e => match o, p with Add, Add | Sub, Sub | Mul, Mul | Div, Div | Mod, Mod | Min, Min | Max, Max => true | _, _ => false end &&
      term_eqb a d && term_eqb b e
  | Read k ts, Read l us =>
      Nat.eqb k l && (fix all ts us := match ts, us with [], [] => true | t :: ts, u :: us => term_eqb t u && all ts us | _, _ => false end) ts us
  | _, _ => false
  end.
Fixpoint predicate_eqb (p q : predicate) : bool :=
  match p, q with
  | True_, True_ | False_, False_ => true
  | Cmp r a b, Cmp t d e => match r, t with Eq, Eq | Lt, Lt | Le, Le => true | _, _ => false end && term_eqb a d && term_eqb b e
  | Not p, Not q => predicate_eqb p q
  | And p q, And r t | Or p q, Or r t => predicate_eqb p r && predicate_eqb q t
  | _, _ => false
  end.
Fixpoint list_eqb {T} (eqb : T -> T -> bool) (xs ys : list T) : bool :=
  match xs, ys with [], [] => true | x :: xs, y :: ys => eqb x y && list_eqb eqb xs ys | _, _ => false end.
Definition option_eqb {T} (eqb : T -> T -> bool) (x y : option T) : bool :=
  match x, y with None, None => true | Some x, Some y => eqb x y | _, _ => false end.
Definition layer_eqb (x y : layer) : bool :=
  match x, y with
  | Row i, Row j | Merged i, Merged j | Divided i, Divided j | Raised i, Raised j | Slant i, Slant j => term_eqb i j
  | Swapped, Swapped | Front, Front | Back, Back => true
  | From o, From p => o =? p
  | Kept n d, Kept m e => term_eqb n m && option_eqb term_eqb d e
  | Upright n m, Upright k l => term_eqb n k && term_eqb m l
  | _, _ => false
  end.
Definition part_eqb (x y : part_of_buffer) : bool :=
  let '(r, ls, ps) := x in let '(r', ls', ps') := y in
  list_eqb term_eqb r r' && list_eqb layer_eqb ls ls' && list_eqb predicate_eqb ps ps'.
Definition entry_eqb (x y : entry) : bool :=
  let '(b, s, w) := x in let '(b', s', w') := y in String.eqb b b' && list_eqb term_eqb s s' && option_eqb part_eqb w w'.

Definition at_home (x : cells_word) (y : entry) : bool :=
  let '(b, s, w) := y in
  negb (String.eqb b (of_buffer x)) ||
  match w with Some (r, ls, _) => list_eqb term_eqb s (of_state x) && list_eqb term_eqb r (of_room x) && list_eqb layer_eqb ls (through x) | None => false end.
Definition housed_word (g : goal) (x : cells_word) : bool := forallb (fun y => match y with Some y => at_home x y | None => true end) (tensors g).

(** Nothing is known in the buffer; a tensor is known. *)
Definition forgetting (b : string) (g : goal) : goal :=
  knowing (map (fun x => match x with Some (y, s, w) => if String.eqb y b then None else Some (y, s, w) | None => None end) (tensors g)) g.
Fixpoint put_at {T} (n : nat) (x : T) (l : list T) : list T :=
  match n, l with O, _ :: l => x :: l | S n, y :: l => y :: put_at n x l | _, [] => [] end.
Definition putting (n : nat) (x : entry) (g : goal) : goal := knowing (put_at n (Some x) (tensors g)) g.

Fixpoint how_many (ss : state_words) : nat := match ss with SNone => O | SState _ _ ss => S (how_many ss) end.
Fixpoint step_of (k : nat) (ss : state_words) : option tensor_word :=
  match k, ss with O, SState _ t _ => Some t | S k, SState _ _ ss => step_of k ss | _, SNone => None end.
Definition is_whole (x : cells_word) : bool :=
  list_eqb term_eqb (of_room x) (of_state x) && match through x with [] => true | _ => false end.

(** A round, of [n] states: the new ones come first among the tensors, each is known once it is made, and then the old ones. *)
Fixpoint turn (ms : makings) (hs : list cells_word) (n : nat) (g : goal) (us : list term) (p : loop_word) (vs : list term) (ks : list nat) (sw : state_words)
    {struct ms} : option (goal * loop_word) :=
  match ms with
  | Made => Some (g, p)
  | Makes k count h ms =>
      match nth_error hs k, step_of k sw with
      | Some x, Some t =>
          let (first, rest) := split_words count p in
          let next := Op Add (Free 0) (Lit 1) in
          if clear_word g (of_buffer x) && housed_word g x &&
            update h g (in_round x (Free 0) next) [] (of_state x) us first vs (seq (n - k) k ++ seq n n ++ map (Nat.add (n + n)) ks) t
          then turn ms hs n (putting (n - S k) (home_entry x next) (forgetting (of_buffer x) g)) us rest vs ks sw
          else None
      | _, _ => None
      end
  end.
