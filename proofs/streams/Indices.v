(** [guard], [locate] and [rename]: conditions, functions of the index, and other indices. *)
Require Import Arith List Bool Lia.
Require Export Atl.streams.Evaluation.
Import ListNotations.

(** * Guard: all or nothing *)
Section Guard.
Context {W : Type} (c : bool) (S : stream W).
Definition guarded : stream W := {|
  state := state S; stands q := if c then stands S q else None; value := value S; skip := skip S; left := left S |}.

Lemma guard_progress : Progress S -> Progress guarded.
Proof. intros P q p. split; [apply P|]. cbn. intros h. destruct c; [apply P|discriminate]. Qed.

Theorem guard_emits q j : Progress S -> emits guarded q j = if c then emits S q j else [].
Proof.
  intros P. pose proof (guard_progress P) as P'. revert j. pattern q. apply (advance_induction _ _ P'). clear q. intros q IH j.
  destruct (stands guarded q) as [h|] eqn:E.
  - rewrite (emits_step guarded P' q h j E), (IH h eq_refl j). cbn [guarded stands] in E. destruct c; [|discriminate].
    rewrite (emits_step S P q h j E). reflexivity.
  - rewrite (emits_ended guarded P' q j E). cbn [guarded stands] in E. destruct c; [|reflexivity]. symmetry. apply (emits_ended S P), E.
Qed.

Theorem guard_lawful : lawful S -> lawful guarded.
Proof.
  intros [P M V]. split; [exact (guard_progress P)| |].
  - intros q p. cbn [guarded stands skip]. destruct c; [apply M|exact I].
  - intros q p j N. rewrite !guard_emits by exact P. destruct c; [exact (V q p j N)|reflexivity].
Qed.
Theorem guard_strictly_lawful : strictly_lawful S -> strictly_lawful guarded.
Proof.
  intros [L St]. split; [apply guard_lawful, L|]. intros q p i h'. cbn [guarded stands skip]. destruct c; [apply St|discriminate].
Qed.
End Guard.

(** * Locate: a product with a function of the index, which is asked, not iterated *)
Section Locate.
Context {U W X : Type} (f : U -> W -> X) (g : nat -> W) (S : stream U).
Definition located : stream X := {|
  state := state S; stands := stands S; skip := skip S; left := left S;
  value q := f (value S q) (g (match stands S q with Some h => fst h | None => 0 end)) |}.

Theorem locate_emits q j : emits located q j = map (fun x => f x (g j)) (emits S q j).
Proof.
  unfold emits, trace. cbn [left located]. generalize (left S q) as n. intros n. revert q.
  induction n as [|n IH]; intros q; [reflexivity|]. cbn [visit located stands value]. destruct (stands S q) as [h|]; [|reflexivity].
  rewrite !at_index_app, map_app. change (skip located) with (skip S). rewrite <- IH. f_equal.
  destruct (snd h); [|reflexivity]. unfold at_index. cbn. destruct (Nat.eqb_spec (fst h) j) as [<-|]; reflexivity.
Qed.

Theorem locate_lawful : lawful S -> lawful located.
Proof. intros [P M V]. split; [exact P|exact M|]. intros q p j N. rewrite !locate_emits. f_equal. exact (V q p j N). Qed.
Theorem locate_strictly_lawful : strictly_lawful S -> strictly_lawful located.
Proof. intros [L St]. split; [apply locate_lawful, L|exact St]. Qed.
End Locate.

(** * Rename: other indices, in the same order

    [forth] gives indices below [n] other names, that increase; [back] finds the least index whose name is not before one that is
    asked for. If there is none, nothing is left, and the stream ends. *)
Section Rename.
Context {W : Type} (n : nat) (forth : nat -> nat) (back : nat -> option nat) (S : stream W).
Hypothesis increases : forall i k, i < k -> k < n -> forth i < forth k.
Hypothesis finds : forall j, match back j with
  | Some i => i < n /\ j <= forth i /\ forall k, k < i -> forth k < j
  | None => forall k, k < n -> forth k < j
  end.
Hypothesis below : forall q h, stands S q = Some h -> fst h < n.

(** The request, in the stream's own indices. One for being done with a name that no index has needs all beyond. *)
Definition request (p : position) (i : nat) : position := (i, snd p && (forth i =? fst p)).

Definition renamed : stream W := {|
  state := bool * state S;
  stands s := if fst s then option_map (fun h => (forth (fst h), snd h)) (stands S (snd s)) else None;
  value s := value S (snd s);
  skip s p := match back (fst p) with Some i => (fst s, skip S (snd s) (request p i)) | None => (false, snd s) end;
  left s := if fst s then left S (snd s) else 0
|}.

Lemma rename_stands s h' : stands renamed s = Some h' ->
  fst s = true /\ exists h, stands S (snd s) = Some h /\ fst h < n /\ h' = (forth (fst h), snd h).
Proof using below.
  cbn [renamed stands]. destruct (fst s); [|discriminate]. destruct (stands S (snd s)) as [h|] eqn:E; [|discriminate].
  cbn. intros H. injection H as <-. split; [reflexivity|]. eauto.
Qed.

Lemma forth_le i k : i <= k -> k < n -> forth i <= forth k.
Proof using increases. intros H K. destruct (Nat.eq_dec i k) as [->|]; [lia|]. specialize (increases i k). lia. Qed.

Lemma back_forth i : i < n -> back (forth i) = Some i.
Proof using increases finds.
  intros H. specialize (finds (forth i)). destruct (back (forth i)) as [k|]; [|specialize (finds i H); lia].
  destruct finds as (K & L & B). f_equal. destruct (Nat.lt_trichotomy i k) as [T|[T|T]]; [specialize (B i T); lia|auto|].
  specialize (increases k i T H). lia.
Qed.

(** A request that is done with a position is so in the stream's own indices. *)
Lemma request_done p h i : back (fst p) = Some i -> fst h < n -> key (forth (fst h), snd h) <= key p -> key h <= key (request p i).
Proof using increases finds.
  intros B H K. specialize (finds (fst p)). rewrite B in finds. destruct finds as (I & L & _). unfold key, request in *. cbn [fst snd] in *.
  destruct (Nat.lt_trichotomy (fst h) i) as [T|[T|T]]; [destruct (snd h); lia| |].
  - rewrite T in *. destruct (Nat.eqb_spec (forth i) (fst p)); destruct (snd h), (snd p); cbn; lia.
  - specialize (increases i (fst h) T H). destruct (snd h), (snd p); lia.
Qed.

Lemma rename_progress : Progress S -> Progress renamed.
Proof using increases finds below.
  intros P [b q] p. cbn [renamed left skip fst snd]. pose proof (finds (fst p)) as F. destruct (back (fst p)) as [i|] eqn:B; cbn [fst snd].
  - destruct b; [|split; [lia|discriminate]]. split; [apply P|]. intros h' E K.
    apply rename_stands in E as (_ & h & E & H & ->). apply (proj2 (P q _) h E). exact (request_done p h i B H K).
  - split; [destruct b; lia|]. intros h' E K. apply rename_stands in E as (T & h & E & _). cbn [fst snd] in *. subst b.
    destruct (P q h) as [_ D]. specialize (D h E (le_n _)). lia.
Qed.

(** What is emitted at a name is what the stream emits at its index. *)
Theorem rename_emits : Progress S -> forall s j, emits renamed s j =
  if fst s then match back j with Some i => if forth i =? j then emits S (snd s) i else [] | None => [] end else [].
Proof using increases finds below.
  intros P s. pose proof (rename_progress P) as P'. pattern s. apply (advance_induction _ _ P'). clear s. intros [b q] IH j. cbn [fst snd].
  destruct (stands renamed (b, q)) as [h'|] eqn:E.
  - rewrite (emits_step renamed P' _ h' j E), (IH h' eq_refl j). apply rename_stands in E as (T & h & E & H & ->). cbn [fst snd] in *. subst b.
    cbn [renamed skip value fst snd]. rewrite (back_forth _ H). cbn [fst snd]. unfold request. cbn [fst snd]. rewrite Nat.eqb_refl, andb_true_r.
    replace (fst h, snd h) with h by (destruct h; reflexivity). pose proof (finds j) as F. destruct (Nat.eqb_spec (forth (fst h)) j) as [<-|N].
    + rewrite (back_forth _ H), Nat.eqb_refl, (emits_step S P q h (fst h) E), Nat.eqb_refl. reflexivity.
    + rewrite andb_false_r. cbn [app]. destruct (back j) as [i|]; [|reflexivity]. destruct (Nat.eqb_spec (forth i) j) as [<-|]; [|reflexivity].
      rewrite (emits_step S P q h i E). destruct (Nat.eqb_spec (fst h) i) as [Q|_]; [rewrite Q in N; congruence|].
      rewrite andb_false_r. reflexivity.
  - rewrite (emits_ended renamed P' _ j E). cbn [renamed stands fst snd] in E. destruct b; [|reflexivity].
    destruct (stands S q) as [h|] eqn:Q; [discriminate|]. destruct (back j) as [i|]; [|reflexivity].
    rewrite (emits_ended S P q i Q). destruct (forth i =? j); reflexivity.
Qed.

Theorem rename_lawful : lawful S -> lawful renamed.
Proof using increases finds below.
  intros [P M V]. split; [exact (rename_progress P)| |].
  - intros s p. destruct (stands renamed s) as [h|] eqn:E.
    + destruct (stands renamed (skip renamed s p)) as [h'|] eqn:E'; [|exact I]. apply rename_stands in E as (T & g & E & _ & ->).
      apply rename_stands in E' as (T' & g' & E' & H' & ->). cbn [fst renamed skip] in *. destruct (back (fst p)) as [i|]; [|discriminate].
      cbn [fst snd] in *. specialize (M (snd s) (request p i)). rewrite E, E' in M. apply forth_le; assumption.
    + cbn [renamed stands skip] in *. destruct (back (fst p)) as [i|]; cbn [fst snd]; [|exact I]. destruct (fst s); [|exact I].
      destruct (stands S (snd s)) as [h|] eqn:Q; [discriminate|]. rewrite (ended_stays S M _ (request p i) Q). exact I.
  - intros [b q] p j N. rewrite !rename_emits by exact P. cbn [renamed skip fst snd]. pose proof (finds (fst p)) as F. pose proof (finds j) as G.
    unfold needs, key in N. destruct (back (fst p)) as [i|]; cbn [fst snd].
    + destruct b; [|reflexivity]. destruct (back j) as [k|]; [|reflexivity]. destruct (Nat.eqb_spec (forth k) j) as [J|]; [|reflexivity].
      destruct F as (_ & L & F). apply V. unfold needs, key, request. cbn [fst snd]. destruct (Nat.lt_trichotomy k i) as [T|[->|T]].
      * specialize (F k T). destruct (snd p); lia.
      * destruct (Nat.eqb_spec (forth i) (fst p)); destruct (snd p); cbn; lia.
      * destruct (_ && _); lia.
    + destruct b; [|reflexivity]. destruct (back j) as [k|]; [|reflexivity]. destruct G as (K & G & _). specialize (F k K). destruct (snd p); lia.
Qed.

Theorem rename_strictly_lawful : strictly_lawful S -> strictly_lawful renamed.
Proof using increases finds below.
  intros [L St]. split; [apply rename_lawful, L|]. intros s p i h' E K E'.
  apply rename_stands in E as (T & h & E & H & Eq). injection Eq as -> R. apply rename_stands in E' as (T' & g & E' & H' & ->).
  cbn [renamed skip fst snd] in *. destruct (back (fst p)) as [i|] eqn:B; [|discriminate]. cbn [fst snd] in *.
  apply increases; [|exact H']. destruct h as [a r]. cbn [fst snd] in *. subst r. apply (St _ (request p i) a g E); [|exact E'].
  exact (request_done p (a, true) i B H K).
Qed.
End Rename.

(** * What they mean *)
Section Meaning.
Context {V : Type} (A : algebra V).

Theorem eval_guard {W} c means (S : stream W) q j : lawful S ->
  eval A means (guarded c S) q j = if c then eval A means S q j else zero A.
Proof. intros L. unfold eval. rewrite guard_emits by apply L. destruct c; reflexivity. Qed.

Theorem eval_locate {U W X} (f : U -> W -> X) g (S : stream U) mu mw mx q j :
  law_mul_0_l A -> law_distr_r A -> (forall x y, mx (f x y) = mul A (mu x) (mw y)) ->
  eval A mx (located f g S) q j = mul A (eval A mu S q j) (mw (g j)).
Proof.
  intros Z D M. unfold eval. rewrite locate_emits. induction (emits S q j) as [|x xs IH]; cbn; [symmetry; apply Z|].
  unfold total in IH. rewrite IH, M. symmetry. apply D.
Qed.

Theorem eval_rename {W} n forth back means (S : stream W) q :
  (forall i k, i < k -> k < n -> forth i < forth k) ->
  (forall j, match back j with
    | Some i => i < n /\ j <= forth i /\ forall k, k < i -> forth k < j
    | None => forall k, k < n -> forth k < j
    end) ->
  (forall q h, stands S q = Some h -> fst h < n) -> lawful S ->
  (forall i, i < n -> eval A means (renamed forth back S) (true, q) (forth i) = eval A means S q i) /\
  (forall j, (forall i, i < n -> forth i <> j) -> eval A means (renamed forth back S) (true, q) j = zero A).
Proof.
  intros Inc F B L. unfold eval. split; [intros i H|intros j N]; rewrite (rename_emits n) by (assumption || apply L); cbn [fst snd].
  - rewrite (back_forth n forth back Inc F i H), Nat.eqb_refl. reflexivity.
  - specialize (F j). destruct (back j) as [i|]; [|reflexivity]. destruct F as (I & _). rewrite (proj2 (Nat.eqb_neq _ _) (N i I)). reflexivity.
Qed.
End Meaning.
