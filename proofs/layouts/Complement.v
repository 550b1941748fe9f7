(** [complement]: the layout that goes between the values of another one, up to a size.

    Modes are sorted by stride. If each stride is at least what comes before it (a weak chain), sums of values of both never meet. If what
    comes before divides it (a divisible chain), there is no gap. *)
Require Import Arith List Bool Lia.
Require Export Atl.layouts.Compose.
Import ListNotations.
Local Open Scope nat_scope.

(** [cur] is what was reached before. *)
Fixpoint gaps (cur : nat) (L : list (nat * nat)) (M : nat) : list (nat * nat) :=
  match L with
  | [] => [((M + cur - 1) / cur, cur)]
  | (s, d) :: L => (d / cur, cur) :: gaps (s * d) L M
  end.
Definition complement (L : list (nat * nat)) (M : nat) : list (nat * nat) := gaps 1 L M.

Fixpoint weak_chain (cur : nat) (L : list (nat * nat)) : Prop :=
  match L with [] => True | (s, d) :: L => 0 < s /\ cur <= d /\ weak_chain (s * d) L end.
Fixpoint divisible_chain (cur : nat) (L : list (nat * nat)) : Prop :=
  match L with [] => True | (s, d) :: L => 0 < s /\ 0 < d /\ d mod cur = 0 /\ divisible_chain (s * d) L end.
Fixpoint reached (cur : nat) (L : list (nat * nat)) : nat := match L with [] => cur | (s, d) :: L => reached (s * d) L end.

Lemma divisible_weak L : forall cur, 0 < cur -> divisible_chain cur L -> weak_chain cur L.
Proof.
  induction L as [|[s d] L IH]; intros cur C; cbn; [auto|]. intros (S & D & Z & Ch). split; [exact S|]. split.
  - pose proof (Nat.div_mod d cur ltac:(lia)). assert (0 < d / cur) by nia. nia.
  - apply IH; [nia|exact Ch].
Qed.

(** Two numbers at least this far apart. *)
Definition apart (n x y : nat) : Prop := x + n <= y \/ y + n <= x.

(** Digits of one place and what is above them: sums differ by [cur] at least. *)
Lemma place_apart cur s d g im im' jm jm' r r' : 0 < cur -> g * cur <= d -> im < s -> im' < s -> jm < g -> jm' < g ->
  (r = r' /\ (im <> im' \/ jm <> jm')) \/ apart (s * d) r r' ->
  apart cur (im * d + jm * cur + r) (im' * d + jm' * cur + r').
Proof.
  intros C G I I' J J' H. assert (E : jm * cur + cur <= d) by nia. assert (E' : jm' * cur + cur <= d) by nia.
  assert (F : im * d + d <= s * d) by nia. assert (F' : im' * d + d <= s * d) by nia.
  destruct H as [[-> H]|[H|H]]; [|left; lia|right; lia].
  destruct (Nat.lt_trichotomy im im') as [K|[->|K]].
  - left. assert (im * d + d <= im' * d) by nia. lia.
  - destruct (Nat.lt_trichotomy jm jm') as [N|[->|N]]; [left|exfalso; lia|right].
    + assert (jm * cur + cur <= jm' * cur) by nia. lia.
    + assert (jm' * cur + cur <= jm * cur) by nia. lia.
  - right. assert (im' * d + d <= im * d) by nia. lia.
Qed.

Theorem sums_apart M L : forall cur i i' j j', 0 < cur -> weak_chain cur L ->
  i < elements L -> i' < elements L -> j < elements (gaps cur L M) -> j' < elements (gaps cur L M) -> i <> i' \/ j <> j' ->
  apart cur (index L i + index (gaps cur L M) j) (index L i' + index (gaps cur L M) j').
Proof.
  induction L as [|[s d] L IH]; intros cur i i' j j' C W I I' J J' N.
  - cbn in *. rewrite Nat.mul_1_r in J, J'. rewrite !Nat.mod_small by assumption. unfold apart. nia.
  - cbn [gaps index elements weak_chain] in *. destruct W as (S & D & W).
    pose proof (Nat.div_mod d cur ltac:(lia)) as K. set (g := d / cur) in *. assert (G : g * cur <= d) by nia.
    assert (G0 : 0 < g) by (destruct (Nat.eq_dec g 0) as [Z|Z]; [rewrite Z in J; cbn in J; lia|lia]).
    pose proof (Nat.mod_upper_bound i s ltac:(lia)). pose proof (Nat.mod_upper_bound i' s ltac:(lia)).
    pose proof (Nat.mod_upper_bound j g ltac:(lia)). pose proof (Nat.mod_upper_bound j' g ltac:(lia)).
    pose proof (Nat.div_mod i s ltac:(lia)). pose proof (Nat.div_mod i' s ltac:(lia)).
    pose proof (Nat.div_mod j g ltac:(lia)). pose proof (Nat.div_mod j' g ltac:(lia)).
    assert (Rest : (i / s = i' / s /\ j / g = j' / g) \/ (i / s <> i' / s \/ j / g <> j' / g)) by lia.
    assert (P : apart cur ((i mod s) * d + (j mod g) * cur + (index L (i / s) + index (gaps (s * d) L M) (j / g)))
                          ((i' mod s) * d + (j' mod g) * cur + (index L (i' / s) + index (gaps (s * d) L M) (j' / g)))).
    { apply (place_apart cur s d g); try assumption. destruct Rest as [[E1 E2]|R].
      - left. rewrite E1, E2. split; [reflexivity|]. destruct N as [N|N]; [left|right]; intros E; apply N; congruence.
      - right. apply IH; [nia|exact W| | | | |exact R]; apply Nat.div_lt_upper_bound; lia. }
    unfold apart in *. lia.
Qed.

(** Sums of values of a layout and its complement are different. *)
Theorem complement_apart L M i i' j j' : weak_chain 1 L ->
  i < elements L -> i' < elements L -> j < elements (complement L M) -> j' < elements (complement L M) ->
  index L i + index (complement L M) j = index L i' + index (complement L M) j' -> i = i' /\ j = j'.
Proof.
  intros W I I' J J' E. destruct (Nat.eq_dec i i') as [->|Ni], (Nat.eq_dec j j') as [->|Nj]; [auto|exfalso..].
  all: pose proof (sums_apart M L 1 _ _ _ _ ltac:(lia) W I I' J J') as A; unfold apart in A; unfold complement in *; destruct A; auto; lia.
Qed.

(** There is no gap: what is below the end is a sum. *)
Theorem sums_fill M L : forall cur x, 0 < cur -> divisible_chain cur L -> x mod cur = 0 -> x < reached cur L * ((M + reached cur L - 1) / reached cur L) ->
  exists i j, i < elements L /\ j < elements (gaps cur L M) /\ index L i + index (gaps cur L M) j = x.
Proof.
  induction L as [|[s d] L IH]; intros cur x C W Z X.
  - cbn in *. pose proof (Nat.div_mod x cur ltac:(lia)) as K. exists 0, (x / cur).
    assert (x / cur < (M + cur - 1) / cur) by (apply Nat.div_lt_upper_bound; lia).
    rewrite Nat.mod_small by assumption. repeat split; lia.
  - cbn [gaps index elements divisible_chain reached] in *. destruct W as (S & D & Dc & W).
    pose proof (Nat.div_mod d cur ltac:(lia)) as K. rewrite Dc in K. set (g := d / cur) in *. assert (G0 : 0 < g) by nia.
    pose proof (Nat.div_mod x cur ltac:(lia)) as Kx. rewrite Z in Kx. set (y := x / cur) in *.
    pose proof (Nat.div_mod y g ltac:(lia)) as Ky. pose proof (Nat.mod_upper_bound y g ltac:(lia)).
    pose proof (Nat.div_mod (y / g) s ltac:(lia)) as Kz. pose proof (Nat.mod_upper_bound (y / g) s ltac:(lia)).
    set (jm := y mod g) in *. set (im := (y / g) mod s) in *. set (z := y / g / s) in *.
    assert (E : x = jm * cur + im * d + z * (s * d)) by nia.
    destruct (IH (s * d) (z * (s * d))) as (i & j & I & J & V); [nia|exact W|apply Nat.mod_mul; nia|nia|].
    exists (im + i * s), (jm + j * g).
    rewrite !Nat.mod_add, !Nat.div_add, !(Nat.mod_small im), !(Nat.mod_small jm), !(Nat.div_small im), !(Nat.div_small jm) by lia.
    cbn [Nat.add]. repeat split; [nia|nia|]. lia.
Qed.

(** A layout and its complement tile what is below a multiple of what is reached. *)
Theorem complement_fills L M x : divisible_chain 1 L -> x < M -> exists i j,
  i < elements L /\ j < elements (complement L M) /\ index L i + index (complement L M) j = x.
Proof.
  intros W X. apply sums_fill; [lia|exact W|apply Nat.mod_1_r|].
  assert (R : forall L cur, 0 < cur -> divisible_chain cur L -> 0 < reached cur L).
  { clear. induction L as [|[s d] L IH]; cbn; intros cur C; [auto|]. intros (S & D & _ & W). apply IH; [nia|exact W]. }
  pose proof (R L 1 ltac:(lia) W) as P. destruct (Nat.eq_dec M 0); [lia|]. destruct (ceiling M (reached 1 L)) as (_ & _ & H); [lia|lia|]. lia.
Qed.
