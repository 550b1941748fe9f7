(** What is known where a statement stands, and evidence for conditions.

    Everything in a goal is closed: it speaks of the entries of a context alone, of which entering a loop adds one in front. Evidence is
    given, nothing is searched. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Places.
Import ListNotations.
Open Scope Z_scope.

(** * Goals *)
Inductive law := Add_0_l | Add_0_r | Add_assoc.

(** A buffer, the extents of the tensor that it holds, and, if that is not all of the buffer, the buffer's extents, the layers in between,
    and which elements it holds: in these predicates [Bound k] is index [k] of an element. *)
Definition part_of_buffer : Type := list term * list layer * list predicate.
Definition entry : Type := string * list term * option part_of_buffer.

Record goal := Goal {
  deep : nat;
  facts_ : list predicate;
  generals : list general;
  (** The tensors that terms may name, the newest first: the buffers that hold them, with their extents. *)
  tensors : list (option entry);
  spare : list (string * list term);
  (** Arrays of integers: name, level, and how many. *)
  lists : list (string * nat * term);
  lawful : list (nat * law)
}.

Definition assuming (p : predicate) (g : goal) : goal :=
  Goal (deep g) (p :: facts_ g) (generals g) (tensors g) (spare g) (lists g) (lawful g).

Definition lift_buffer (b : string * list term) : string * list term := (fst b, map lift (snd b)).
Definition lift_entry (b : entry) : entry :=
  let '(x, s, w) := b in
  (x, map lift s, option_map (fun w : part_of_buffer => let '(r, ls, ps) := w in
    (map lift r, map lift_layer ls, map raise_predicate ps)) w).

(** Under a loop. *)
Definition entered (g : goal) : goal :=
  Goal (S (deep g)) (map lift_predicate (facts_ g)) (map lift_general (generals g)) (map (option_map lift_entry) (tensors g))
    (map lift_buffer (spare g)) (map (fun a => (fst (fst a), S (snd (fst a)), lift (snd a))) (lists g)) (lawful g).

Definition holding (b : option entry) (g : goal) : goal :=
  Goal (deep g) (facts_ g) (generals g) (b :: tensors g) (spare g) (lists g) (lawful g).
Definition sparing (s : list (string * list term)) (g : goal) : goal :=
  Goal (deep g) (facts_ g) (generals g) (tensors g) s (lists g) (lawful g).

Section Models.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Implicit Types (g : goal) (c : context) (T : list (tensor V)).

Definition known_by c (b : entry) (t : tensor V) : known V :=
  let '(x, s, w) := b in
  match w with
  | None => Known x (map (Index.value c []) s) t
  | Some (r, ls, ps) => Placed x (map (Index.value c []) s) (place_of c r ls) (hold_at c ps) t
  end.
Fixpoint known_of c (bs : list (option entry)) T : list (known V) :=
  match bs, T with
  | Some b :: bs, t :: T => known_by c b t :: known_of c bs T
  | None :: bs, _ :: T => known_of c bs T
  | _, _ => []
  end.
Definition scratch_of c (xs : list (string * list term)) : scratch := map (fun x => (fst x, room (map (Index.value c []) (snd x)))) xs.

Definition law_of (x : nat * law) : Prop :=
  let A := alg Any S (fst x) in
  match snd x with Add_0_l => law_add_0_l A | Add_0_r => law_add_0_r A | Add_assoc => law_add_assoc A end.

Definition list_of c (a : string * nat * term) : Prop :=
  forall i, in_range i (Index.value c [] (snd a)) = true -> entry_at ints (fst (fst a)) i = Some (array c (snd (fst a)) [i]).

Record models g c T : Prop := {
  context_of : exists xs, c = xs ++ c0 /\ length xs = deep g;
  facts_of : all_hold c (facts_ g);
  generals_of : all_general c (generals g);
  many_of : length T = length (tensors g);
  lists_of : Forall (list_of c) (lists g);
  laws_of : Forall law_of (lawful g)
}.

Lemma models_assuming g c T p : Index.holds c [] p = true -> models g c T -> models (assuming p g) c T.
Proof. intros H []. split; cbn; auto. Qed.

Lemma models_denying g c T p : Index.holds c [] p = false -> models g c T -> models (assuming (Not p) g) c T.
Proof. intros H. apply models_assuming. cbn [Index.holds]. rewrite H. reflexivity. Qed.

Lemma models_entered g c T x : models g c T -> models (entered g) (x :: c) T.
Proof.
  intros [(xs & E & L) F Ge M Li La]. split; cbn.
  - exists (x :: xs). cbn. split; congruence.
  - apply all_hold_lift, F.
  - apply all_general_lift, Ge.
  - rewrite map_length. exact M.
  - rewrite Forall_forall in *. intros a I. apply in_map_iff in I as ([[b l] n] & <- & I). intros i R. cbn in *.
    rewrite value_lift in R. exact (Li _ I i R).
  - exact La.
Qed.

Lemma models_holding g c T b t : models g c T -> models (holding b g) c (t :: T).
Proof. intros []. split; cbn; auto. Qed.

Lemma models_sparing g c T s : models g c T -> models (sparing s g) c T.
Proof. intros []. split; cbn; auto. Qed.

Lemma known_of_lift c x bs T : known_of (x :: c) (map (option_map lift_entry) bs) T = known_of c bs T.
Proof.
  revert T. induction bs as [|[[[b s] [[[r ls] ps]|]]|] bs IH]; intros [|t T]; cbn -[value_at]; try reflexivity; [| |apply IH];
    rewrite values_lift, IH; [rewrite place_of_lift, hold_at_raise|]; reflexivity.
Qed.

Lemma scratch_of_lift c x xs : scratch_of (x :: c) (map lift_buffer xs) = scratch_of c xs.
Proof. unfold scratch_of. rewrite map_map. apply map_ext. intros [b s]. cbn. rewrite values_lift. reflexivity. Qed.

(** What a word's variables are worth. *)
Definition worth c (vs : list term) : list Z := map (Index.value c []) vs.

Lemma value_closed g c T vs t : models g c T -> Index.value c [] (close (deep g) vs t) = Index.value c0 (worth c vs) t.
Proof. intros [(xs & -> & <-) _ _ _ _ _]. apply value_close. Qed.

Lemma holds_closed g c T vs p : models g c T -> Index.holds c [] (close_predicate (deep g) vs p) = Index.holds c0 (worth c vs) p.
Proof. intros [(xs & -> & <-) _ _ _ _ _]. apply holds_close. Qed.

End Models.
Arguments models {V}.

(** * Evidence *)

(** Conditions that are true whatever their variables are. *)
Definition same_term (a b : term) : bool := Polynomial.equal (same depth) a b.
Definition difference (a b : term) : option Z := as_constant (minus (same depth) (of b) (of a)).

Fixpoint plain (p : predicate) : bool :=
  match p with
  | True_ => true
  | False_ | Not _ => false
  | Cmp Eq a b => same_term a b
  | Cmp Le a b => match difference a b with Some z => 0 <=? z | None => false end
  | Cmp Lt a b => match difference a b with Some z => 0 <? z | None => false end
  | And p q => plain p && plain q
  | Or p q => plain p || plain q
  end.

Fixpoint same_predicate (p q : predicate) : bool :=
  match p, q with
  | True_, True_ | False_, False_ => true
  | Cmp Eq a b, Cmp Eq d e | Cmp Lt a b, Cmp Lt d e | Cmp Le a b, Cmp Le d e => same_term a d && same_term b e
  | Not p, Not q => same_predicate p q
  | And p q, And r s | Or p q, Or r s => same_predicate p r && same_predicate q s
  | _, _ => false
  end.

(** Quotients of quotients, [a / p / q], as one, and remainders by quotients, where facts say that the divisors are positive: so a flat
    index is seen to be what its digits give, whatever their ranges are. *)
Fixpoint positive (facts : list predicate) (t : term) : bool :=
  existsb (fun p => same_predicate p (Cmp Lt (Lit 0) t)) facts ||
  match t with Lit z => 0 <? z | Op Mul a b => positive facts a && positive facts b | _ => false end.

Definition quotient_of (facts : list predicate) (a d : term) : term :=
  match a with
  | Op Div x p => if positive facts p && positive facts d then Op Div x (Op Mul p d) else Op Div a d
  | _ => Op Div a d
  end.

Fixpoint merged (facts : list predicate) (t : term) : term :=
  match t with
  | Op Div a d => quotient_of facts (merged facts a) (merged facts d)
  | Op Mod a d => Op Sub (merged facts a) (Op Mul (merged facts d) (quotient_of facts (merged facts a) (merged facts d)))
  | Op op a b => Op op (merged facts a) (merged facts b)
  | t => t
  end.

(** A condition is plain, or a fact, or both of its parts have evidence, or facts of these numbers give it by a certificate; or it is an
    equation that is plain where quotients are merged. *)
Inductive evidence := Plainly | Given (k : nat) | Twice (e f : evidence) | By (facts generals : list nat) (k : certificate) | Merging.

Definition pick {T} (ks : list nat) (l : list T) : list T :=
  flat_map (fun k => match nth_error l k with Some x => [x] | None => [] end) ks.

Fixpoint shown (g : goal) (p : predicate) (e : evidence) {struct e} : bool :=
  match e with
  | Plainly => plain p
  | Given k => match nth_error (facts_ g) k with Some q => same_predicate q p | None => false end
  | Twice e f => match p with And q r => shown g q e && shown g r f | _ => false end
  | By hs gs k => check (pick hs (facts_ g)) (pick gs (generals g)) p k
  | Merging => match p with Cmp Eq a b => same_term (merged (facts_ g) a) (merged (facts_ g) b) | _ => false end
  end.

Definition equals (g : goal) (a b : term) (e : evidence) : bool := shown g (Cmp Eq a b) e.
Definition denied (g : goal) (p : predicate) (e : evidence) : bool := shown g (Not p) e.
(** Both conditions, or neither. *)
Definition alike (g : goal) (p q : predicate) (e : evidence) : bool :=
  same_predicate p q || shown g (Or (And p q) (And (Not p) (Not q))) e.

Section Evidence.
Variables (c : context).
Notation val := (Index.value c []).
Let sound := same_sound c [] depth.

Lemma same_term_value a b : same_term a b = true -> val a = val b.
Proof using. apply equal_value, sound. Qed.

Lemma difference_value a b z : difference a b = Some z -> val b - val a = z.
Proof using.
  unfold difference. intros H. apply as_constant_value with (c := c) (bound := []) in H.
  rewrite minus_value in H by exact sound. unfold of in H. rewrite !of_term_value in H by exact sound. exact H.
Qed.

Lemma plain_true p : plain p = true -> Index.holds c [] p = true.
Proof using.
  induction p as [| |r a b|p _|p IHp q IHq|p IHp q IHq]; cbn; try easy.
  - destruct r.
    + intros H. apply Z.eqb_eq, same_term_value, H.
    + destruct (difference a b) as [z|] eqn:D; [|easy]. apply difference_value in D. rewrite !Z.ltb_lt. lia.
    + destruct (difference a b) as [z|] eqn:D; [|easy]. apply difference_value in D. rewrite !Z.leb_le. lia.
  - rewrite !andb_true_iff. tauto.
  - rewrite !orb_true_iff. tauto.
Qed.

Lemma same_predicate_holds p q : same_predicate p q = true -> Index.holds c [] p = Index.holds c [] q.
Proof using.
  revert q. induction p as [| |r a b|p IH|p IHp q IHq|p IHp q IHq]; intros [| |r' d e|q'|p' q'|p' q']; cbn; try easy;
    try (destruct r; easy).
  - destruct r, r'; try easy; intros [H K]%andb_true_iff; apply same_term_value in H, K; rewrite H, K; reflexivity.
  - intros H. rewrite (IH _ H). reflexivity.
  - intros [H K]%andb_true_iff. rewrite (IHp _ H), (IHq _ K). reflexivity.
  - intros [H K]%andb_true_iff. rewrite (IHp _ H), (IHq _ K). reflexivity.
Qed.

Lemma fact_positive ps t : all_hold c ps -> existsb (fun p => same_predicate p (Cmp Lt (Lit 0) t)) ps = true -> 0 < val t.
Proof using.
  induction ps as [|p ps IH]; cbn [existsb]; [easy|]. intros [P H] [E|E]%orb_true_iff; [|exact (IH H E)].
  apply same_predicate_holds in E. rewrite E in P. apply Z.ltb_lt, P.
Qed.

Lemma positive_value ps t : all_hold c ps -> positive ps t = true -> 0 < val t.
Proof using.
  intros H. induction t as [z|l|k|op a IHa b IHb|l us]; cbn [positive]; intros [E|E]%orb_true_iff; try exact (fact_positive ps _ H E); try easy.
  - apply Z.ltb_lt, E.
  - destruct op; try easy. apply andb_true_iff in E as [Ea Eb]. specialize (IHa Ea). specialize (IHb Eb). cbn. nia.
Qed.

Lemma quotient_of_value ps a d : all_hold c ps -> val (quotient_of ps a d) = val a / val d.
Proof using.
  intros H. unfold quotient_of. destruct a as [| | |[] x p|]; try reflexivity.
  destruct (positive ps p && positive ps d) eqn:P; [|reflexivity]. apply andb_true_iff in P as [Pp Pd].
  apply (positive_value ps _ H) in Pp, Pd. cbn. symmetry. apply Z.div_div; lia.
Qed.

Lemma merged_value ps t : all_hold c ps -> val (merged ps t) = val t.
Proof using.
  intros H. induction t as [z|l|k|op a IHa b IHb|l us]; cbn [merged]; try reflexivity.
  destruct op; try (cbn [Index.value apply]; rewrite IHa, IHb; reflexivity).
  - rewrite quotient_of_value, IHa, IHb by exact H. reflexivity.
  - cbn [Index.value apply]. rewrite quotient_of_value, IHa, IHb by exact H. pose proof (Z_div_mod_eq_full (val a) (val b)). lia.
Qed.

Lemma all_hold_nth ps k p : all_hold c ps -> nth_error ps k = Some p -> Index.holds c [] p = true.
Proof using.
  revert k. induction ps as [|q ps IH]; intros [|k]; cbn; try easy; [intros [H _] [= <-]; exact H|intros [_ H]; apply IH, H].
Qed.

Lemma all_hold_pick ps ks : all_hold c ps -> all_hold c (pick ks ps).
Proof using.
  intros H. induction ks as [|k ks IH]; cbn; [easy|]. destruct (nth_error ps k) as [p|] eqn:E; cbn; [|exact IH].
  split; [exact (all_hold_nth ps k p H E)|exact IH].
Qed.

Lemma all_general_nth gs k g : all_general c gs -> nth_error gs k = Some g -> general_true c g.
Proof using.
  revert k. induction gs as [|q gs IH]; intros [|k]; cbn; try easy; [intros [H _] [= <-]; exact H|intros [_ H]; apply IH, H].
Qed.

Lemma all_general_pick gs ks : all_general c gs -> all_general c (pick ks gs).
Proof using.
  intros H. induction ks as [|k ks IH]; cbn; [easy|]. destruct (nth_error gs k) as [p|] eqn:E; cbn; [|exact IH].
  split; [exact (all_general_nth gs k p H E)|exact IH].
Qed.
End Evidence.

Section Shown.
Context {V : Type} {Any : algebra V} {S : signature V} {ints : arrays} {c0 c : context} {g : goal} {T : list (tensor V)}.
Hypothesis M : models Any S ints c0 g c T.

Lemma shown_holds p e : shown g p e = true -> Index.holds c [] p = true.
Proof using M.
  destruct M as [_ F G _ _ _]. revert p. induction e as [|k|e IHe f IHf|hs gs k|]; intros p; cbn [shown].
  - intros H. exact (plain_true c p H).
  - destruct (nth_error (facts_ g) k) as [q|] eqn:E; [|easy]. intros H. rewrite <- (same_predicate_holds c _ _ H).
    exact (all_hold_nth c _ _ _ F E).
  - destruct p; try easy. cbn. rewrite !andb_true_iff. intros [H K]. auto.
  - apply certified; [apply all_hold_pick, F|apply all_general_pick, G].
  - destruct p as [| |[] a b| | |]; try easy. intros H. apply (same_term_value c) in H. rewrite !merged_value in H by exact F.
    cbn. apply Z.eqb_eq, H.
Qed.

Lemma equals_value a b e : equals g a b e = true -> Index.value c [] a = Index.value c [] b.
Proof using M. intros H. apply shown_holds in H. cbn in H. apply Z.eqb_eq, H. Qed.

Lemma denied_holds p e : denied g p e = true -> Index.holds c [] p = false.
Proof using M. intros H. apply shown_holds in H. cbn in H. apply negb_true_iff, H. Qed.

Lemma alike_holds p q e : alike g p q e = true -> Index.holds c [] p = Index.holds c [] q.
Proof using M.
  unfold alike. intros [H|H]%orb_true_iff; [exact (same_predicate_holds c _ _ H)|]. apply shown_holds in H. cbn in H.
  destruct (Index.holds c [] p), (Index.holds c [] q); easy.
Qed.

Lemma inside_range i n e : shown g (inside i n) e = true -> in_range (Index.value c [] i) (Index.value c [] n) = true.
Proof using M. intros H. exact (shown_holds _ _ H). Qed.
End Shown.
