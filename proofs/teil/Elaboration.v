(** TeIL as programs of the core language, and that these compute the same.

    An expression is translated together with the indices that it is read at. Transposition, diagonal, expansion and projection only
    change the list of indices, and no outer product is a tensor: what remains are [gen], [sum], reads and operations of elements.
    Assignments are [let]s. Sums are taken in the same order, so no law is needed: the theorems hold for every algebra.

    Indices begin at 1 in TeIL and at 0 here. Where an expression is not well typed, its translation means nothing. *)
Require Import Arith ZArith String List Bool Lia.
Require Export Atl.Tensor Atl.teil.Safety.
Import ListNotations.
Local Open Scope Z_scope.

Definition extents (s : sizes) : shape := map Z.of_nat s.
Definition from_one (l : index) : indices := map (fun i => Z.to_nat (i + 1)) l.
Definition less_one (m : nat) : Z := Z.of_nat m - 1.
Definition from_zero (k : indices) : index := map less_one k.

Section Elaboration.
Context {V : Type} (A : algebra V).

Definition nothing : tensor V := scalar (zero A).

(** [gen i < n, j < m, .. { f [i; j; ..] }] *)
Fixpoint gens (s : sizes) (f : index -> tensor V) : tensor V :=
  match s with [] => f [] | n :: s => gen (Z.of_nat n) (fun i => gens s (fun at_ => f (i :: at_))) end.

(** [t[i, j, ..]] *)
Fixpoint gets (s : sizes) (t : tensor V) (at_ : index) : tensor V :=
  match s, at_ with n :: s, i :: at_ => gets s (get A (Z.of_nat n) t i) at_ | _, _ => t end.

Definition environment := string -> tensor V.
Definition set (x : string) (t : tensor V) (env : environment) : environment := fun y => if String.eqb y x then t else env y.

Section Terms.
Context (G : context) (env : environment).

(** The element of an expression at index terms. *)
Fixpoint term (e : expr V) (at_ : index) : tensor V :=
  match e with
  | Var x => match G x with Some s => gets s (env x) at_ | None => nothing end
  | Number v => scalar v
  | Apply f e => prim1 f (term e at_)
  | Pointwise f a b => prim2 f (term a at_) (term b at_)
  | Mul a b => prim2 (mul A) (term a match type_of G a with Some [] => [] | _ => at_ end) (term b at_)
  | Prod a b =>
      match type_of G a with
      | Some s => prim2 (mul A) (term a (firstn (length s) at_)) (term b (skipn (length s) at_))
      | None => nothing
      end
  | Red B i e =>
      match type_of G e with
      | Some s =>
          match entry i s with
          | Some n => sum B (Z.of_nat n) (fun k => match insert i k at_ with Some at_ => term e at_ | None => nothing end)
          | None => nothing
          end
      | None => nothing
      end
  | Transp i j e => match exchange i j at_ with Some at_ => term e at_ | None => nothing end
  | Diag i j e =>
      match entry i at_ with
      | Some k => match insert j k at_ with Some at_ => term e at_ | None => nothing end
      | None => nothing
      end
  | Contr i j e =>
      match type_of G e with
      | Some s =>
          match entry i s with
          | Some n =>
              sum A (Z.of_nat n) (fun k =>
                match insert i k at_ with
                | Some at_ => match insert j k at_ with Some at_ => term e at_ | None => nothing end
                | None => nothing
                end)
          | None => nothing
          end
      | None => nothing
      end
  | Expa i _ e => match without i at_ with Some at_ => term e at_ | None => nothing end
  | Proj i m e => match insert i (less_one m) at_ with Some at_ => term e at_ | None => nothing end
  end.

Definition value (e : expr V) : tensor V := match type_of G e with Some s => gens s (term e) | None => nothing end.
End Terms.

(** Statements are [let]s around what comes after them. *)
Fixpoint lets (G : context) (c : stmt V) (env : environment) (rest : environment -> tensor V) : tensor V :=
  match c with
  | Skip => rest env
  | Assign x e => let_in (value G env e) (fun t => rest (set x t env))
  | Seq a b => lets G a env (fun env => lets G b env rest)
  end.

(** The function of a program's result [x]. *)
Definition elaborate (p : program V) (x : string) (env : environment) : tensor V :=
  lets (context_of (allocated p)) (body p) env (fun env => env x).

(** * Indices *)
Lemma from_zero_one s l : inbox l (extents s) -> inside (from_one l) s /\ from_zero (from_one l) = l.
Proof.
  revert s. induction l as [|i l IH]; intros [|n s] H; try easy; [split; [constructor|reflexivity]|].
  destruct H as [B H]. apply IH in H as [I E]. cbn. fold (from_one l) (from_zero (from_one l)). rewrite E. split.
  - constructor; [lia|exact I].
  - f_equal. unfold less_one. lia.
Qed.

Lemma inbox_from_zero k s : inside k s -> inbox (from_zero k) (extents s).
Proof. induction 1 as [|m n k s B _ IH]; cbn; [exact I|]. split; [unfold less_one; lia|exact IH]. Qed.

Lemma gens_is s f l : length l = length s -> gens s f l = f l [].
Proof.
  revert f l. induction s as [|n s IH]; intros f [|i l] H; try discriminate; [reflexivity|]. injection H as H.
  exact (IH (fun at_ => f (i :: at_)) l H).
Qed.

Lemma gets_is s t at_ l : inbox at_ (extents s) -> gets s t at_ l = t (at_ ++ l).
Proof.
  revert t at_. induction s as [|n s IH]; intros t [|i at_] H; try easy. destruct H as [B H]. cbn [gets]. rewrite IH by exact H.
  unfold get. apply in_range_inside, B.
Qed.

Lemma total_is (B : algebra V) n f g : (forall m, (1 <= m <= n)%nat -> f m = Some (g (less_one m))) ->
  total B n f = Some (bigsum B n (fun m => g (Z.of_nat m))).
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. cbn [total bigsum]. rewrite IH by (intros; apply H; lia).
  rewrite H by lia. unfold less_one. replace (Z.of_nat (S n) - 1) with (Z.of_nat n) by lia. reflexivity.
Qed.

(** * Expressions *)
(** Tensors that have, from 0, what memory has from 1. *)
Definition represents (G : context) (h : memory V) (env : environment) : Prop :=
  forall x s k, G x = Some s -> inside k s -> h x k = Some (env x (from_zero k)).

Lemma term_right G h env e s k : typed G e s -> represents G h env -> inside k s ->
  element A G h e k = Some (term G env e (from_zero k) []).
Proof.
  intros T F. revert k. induction T as [x s E|v|f e s T IH|f a b s Ta IHa Tb IHb|a b s Ta IHa Tb IHb|a b s Ta IHa Tb IHb
    |a b s t Ta IHa Tb IHb|B i e s t T IH W|i j e s t T IH X|i j e s n t T IH L I J W|i j e s n t u T IH L I J W W'
    |i n e s t T IH N E|i m e s n t T IH I M W]; intros k K; cbn [element term].
  - rewrite E, (F x s k E K), gets_is by (apply inbox_from_zero, K). rewrite app_nil_r. reflexivity.
  - reflexivity.
  - rewrite IH by exact K. reflexivity.
  - rewrite IHa, IHb by exact K. reflexivity.
  - rewrite (proj2 (type_of_iff G a []) Ta). rewrite (IHa [] (Forall2_nil _)), IHb by exact K. reflexivity.
  - rewrite (proj2 (type_of_iff G a s) Ta), IHb by exact K. destruct s as [|n s]; [|rewrite IHa by exact K; reflexivity].
    rewrite (IHa [] (Forall2_nil _)). reflexivity.
  - rewrite (proj2 (type_of_iff G a s) Ta). apply inside_app in K as [P Q].
    rewrite IHa, IHb by assumption. unfold from_zero. rewrite firstn_map, skipn_map. reflexivity.
  - rewrite (proj2 (type_of_iff G e s) T). destruct (proj1 (entry_there i s)) as (n & I); [apply without_there; eauto|].
    rewrite I. unfold sum. rewrite Nat2Z.id.
    apply (total_is B n _ (fun c => match insert i c (from_zero k) with Some at_ => term G env e at_ | None => nothing end [])).
    intros m M. destruct (inside_insert _ _ _ _ _ _ I W M K) as (k' & R & K').
    unfold from_zero. rewrite insert_map, R. apply IH, K'.
  - destruct (inside_exchange _ _ _ _ _ X K) as (k' & R & K'). unfold from_zero. rewrite exchange_map, R. apply IH, K'.
  - rewrite <- (without_entry _ _ _ _ L W) in I. destruct (inside_entry _ _ _ _ K I) as (m & R & M).
    destruct (inside_insert _ _ _ _ _ _ J W M K) as (k' & R' & K'). unfold from_zero. rewrite entry_map, R. cbn [option_map].
    rewrite insert_map, R'. apply IH, K'.
  - rewrite (proj2 (type_of_iff G e s) T), I. unfold sum. rewrite Nat2Z.id.
    apply (total_is A n _ (fun c => match insert i c (from_zero k) with
      | Some at_ => match insert j c at_ with Some at_ => term G env e at_ | None => nothing end
      | None => nothing
      end [])).
    intros m M. rewrite <- (without_entry _ _ _ _ L W) in I. destruct (inside_insert _ _ _ _ _ _ I W' M K) as (k' & R & K').
    destruct (inside_insert _ _ _ _ _ _ J W M K') as (k'' & R' & K''). unfold from_zero. rewrite insert_map, R. cbn [option_map].
    rewrite insert_map, R'. apply IH, K''.
  - destruct (inside_without _ _ _ _ _ E K) as (k' & R & K'). unfold from_zero. rewrite without_map, R. apply IH, K'.
  - destruct (inside_insert _ _ _ _ _ _ I W M K) as (k' & R & K'). unfold from_zero. rewrite insert_map, R. apply IH, K'.
Qed.

Theorem expression_right G h env e s : typed G e s -> represents G h env ->
  forall l, inbox l (extents s) -> element A G h e (from_one l) = Some (value G env e l).
Proof.
  intros T F l B. destruct (from_zero_one _ _ B) as [I E]. rewrite (term_right _ _ _ _ _ _ T F I), E.
  unfold value. rewrite (proj2 (type_of_iff G e s) T), gens_is; [reflexivity|].
  apply inside_length in I. unfold from_one in I. rewrite map_length in I. exact I.
Qed.

(** * Programs *)
Lemma assign_right G h env x e s h' : G x = Some s -> typed G e s -> represents G h env -> assign A G h x e = Some h' ->
  represents G h' (set x (value G env e) env).
Proof.
  intros X T F. unfold assign. rewrite X. destruct (forallb _ _); [|discriminate]. intros H. injection H as <-. intros y t k Y K.
  unfold set. destruct (String.eqb_spec y x) as [->|N]; cbn [andb]; [|exact (F y t k Y K)].
  assert (t = s) as -> by congruence. rewrite (proj2 (insideb_iff k s) K), (term_right _ _ _ _ _ _ T F K).
  unfold value. rewrite (proj2 (type_of_iff G e s) T), gens_is; [reflexivity|]. unfold from_zero. rewrite map_length.
  apply inside_length, K.
Qed.

Lemma statement_right G c h env : well_formed G c -> fits G h -> represents G h env ->
  exists h' env', run A G c h = Some h' /\ represents G h' env' /\ forall rest, lets G c env rest = rest env'.
Proof.
  intros W. revert h env. induction W as [|x e s X T|a b Wa IHa Wb IHb]; intros h env D F; cbn [run lets].
  - eauto 6.
  - destruct (assign_safe A _ _ _ _ _ X T D) as (h' & R & _). exists h', (set x (value G env e) env).
    split; [exact R|]. split; [exact (assign_right _ _ _ _ _ _ _ X T F R)|reflexivity].
  - destruct (IHa h env D F) as (h1 & env1 & R1 & F1 & E1). destruct (statement_safe A _ _ _ Wa D) as (h1' & R1' & D1).
    assert (h1' = h1) as -> by congruence. destruct (IHb h1 env1 D1 F1) as (h2 & env2 & R2 & F2 & E2).
    exists h2, env2. rewrite R1. split; [exact R2|]. split; [exact F2|]. intros rest. rewrite E1. apply E2.
Qed.

(** What a program leaves in memory is what its functions compute of what was there. *)
Theorem program_right (p : program V) (h : memory V) (env : environment) :
  OK_Prog p -> fits (context_of (allocated p)) h -> represents (context_of (allocated p)) h env ->
  exists h', run_program A p h = Some h' /\ forall x s, context_of (allocated p) x = Some s ->
    forall l, inbox l (extents s) -> h' x (from_one l) = Some (elaborate p x env l).
Proof.
  intros (_ & _ & W) D F. destruct (statement_right _ _ _ _ W D F) as (h' & env' & R & F' & E). exists h'. split; [exact R|].
  intros x s X l B. destruct (from_zero_one _ _ B) as [I Z]. unfold elaborate. rewrite E, (F' x s _ X I), Z. reflexivity.
Qed.

(** What memory has, from 0. *)
Definition stored (h : memory V) (x : string) : tensor V := fun l => match h x (from_one l) with Some v => v | None => zero A end.

Lemma stored_represents G h : fits G h -> represents G h (stored h).
Proof.
  intros F x s k X K. unfold stored. replace (from_one (from_zero k)) with k.
  - destruct (h x k) eqn:H; [reflexivity|]. exfalso. apply (proj2 (F x k)); eauto.
  - unfold inside in K. clear X F. induction K as [|m n k s B _ IH]; cbn; [reflexivity|].
    fold (from_zero k) (from_one (from_zero k)). rewrite <- IH. f_equal. unfold less_one. lia.
Qed.

Corollary program_elaborated (p : program V) (h : memory V) : OK_Prog p -> fits (context_of (allocated p)) h ->
  exists h', run_program A p h = Some h' /\
    forall x s, context_of (allocated p) x = Some s -> teq (extents s) (stored h' x) (elaborate p x (stored h)).
Proof.
  intros O D. destruct (program_right p h (stored h) O D (stored_represents _ _ D)) as (h' & R & E). exists h'. split; [exact R|].
  intros x s X l B. unfold stored at 1. rewrite (E x s X l B). reflexivity.
Qed.
End Elaboration.
