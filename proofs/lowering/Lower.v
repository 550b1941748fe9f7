(** Lowering, as a function of terms that are in normal form: which loops it gives.

    It is total: where a term is in no normal form, it gives nothing, and [Typing.v] says which terms have a type. Loops stand where the
    term's do, in its order; an operator becomes a layer between a loop's index and the cell; a temporary is allocated where its [let]
    stands, and left out if nothing reads it. Nothing here looks at values. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Branches Atl.replay.Reshapes.
Import ListNotations.
Open Scope Z_scope.

(** * Index terms *)

(** Under one loop more. *)
Fixpoint up (t : term) : term :=
  match t with
  | Lit z => Lit z | Free l => Free l | Bound k => Bound (S k)
  | Op o a b => Op o (up a) (up b) | Read l ts => Read l (map up ts)
  end.
(** Outside of a loop whose index the term does not name. *)
Fixpoint down (t : term) : term :=
  match t with
  | Lit z => Lit z | Free l => Free l | Bound k => Bound (pred k)
  | Op o a b => Op o (down a) (down b) | Read l ts => Read l (map down ts)
  end.

Definition map_layer (f : term -> term) (x : layer) : layer :=
  match x with
  | Row i => Row (f i)
  | Swapped => Swapped | Front => Front | Back => Back | From o => From o
  | Merged m => Merged (f m)
  | Divided d => Divided (f d)
  | Raised d => Raised (f d)
  | Kept n d => Kept (f n) (option_map f d)
  | Slant n => Slant (f n)
  | Upright n m => Upright (f n) (f m)
  end.

Definition up_target (to : target) : target :=
  Target (into to) (ring to) (map up (extents to)) (map (map_layer up) (layers to)) (held_before to).

(** Buffers that hold the tensors which a term may name, the newest first. A tensor that nothing reads is [nowhere]: its buffer has no name. *)
Definition buffers := list (string * list term).
Definition nowhere : string * list term := (""%string, []).
Definition up_buffers (env : buffers) : buffers := map (fun x => (fst x, map up (snd x))) env.

Section Lower.
(** The names of arrays of integers, by level. *)
Variable arr : nat -> string.

Fixpoint index_word_of (t : term) : index_word :=
  match t with
  | Op o a b => ICalc o (index_word_of a) (index_word_of b)
  | Read l [i] => IEntry (arr l) l (index_word_of i)
  | t => IPlain t
  end.

Fixpoint test_word_of (p : predicate) : test_word :=
  match p with
  | True_ | False_ => TPlain p
  | Cmp r a b => TCompare r (index_word_of a) (index_word_of b)
  | Not p => TNot (test_word_of p)
  | And p q => TBoth (test_word_of p) (test_word_of q)
  | Or p q => TEither (test_word_of p) (test_word_of q)
  end.

(** * Scalars *)

(** Whether the term is read from loads by operations alone. *)
Fixpoint scalar_form (t : tensor_word) : bool :=
  match t with
  | EConst _ | EIndex _ _ | ETensor _ => true
  | EView t | EOne _ t | EGuard _ _ t => scalar_form t
  | ETwo _ t u | ESelect _ t u => scalar_form t && scalar_form u
  | EThree _ t u x => scalar_form t && scalar_form u && scalar_form x
  | EGet a n t i => match read_at (EGet a n t i) [] with Some _ => true | None => false end
  | _ => false
  end.

Definition load_word (env : buffers) (x : option (nat * list (term * term))) : value_word :=
  match x with
  | Some (k, is) => let (b, s) := nth k env (""%string, []) in VLoad b (index_word_of (flat_term s (map snd is)))
  | None => VConst (CZero 0)
  end.

Fixpoint value_word_of (env : buffers) (t : tensor_word) : value_word :=
  match t with
  | EConst k => VConst k
  | EIndex f i => VIndex f (index_word_of i)
  | EView t => value_word_of env t
  | EOne f t => VOne f (value_word_of env t)
  | ETwo f t u => VTwo f (value_word_of env t) (value_word_of env u)
  | EThree f t u x => VThree f (value_word_of env t) (value_word_of env u) (value_word_of env x)
  | EGuard a p t => VChoose (test_word_of p) (value_word_of env t) (VConst (CZero a))
  | ESelect p t u => VChoose (test_word_of p) (value_word_of env t) (value_word_of env u)
  | t => load_word env (read_at t [])
  end.

(** * Tensors that are read *)

(** Whether loops for the term read the tensor: a temporary that nothing reads has none.
    [if], for [&&] and [||] search both sides whatever the first says: of names in names, exponentially often. *)
Fixpoint mentions (k : nat) (t : tensor_word) : bool :=
  match t with
  | EConst _ | EIndex _ _ => false
  | ETensor j => Nat.eqb j k
  | EView t | EOne _ t | EGen _ t | ESum _ _ t | EGuard _ _ t | EGet _ _ t _ | EOp _ _ _ t => mentions k t
  | ETwo _ t u | ESelect _ t u | EPlus _ t u | EConcat _ _ _ _ t u => mentions k t || mentions k u
  | EThree _ t u x => mentions k t || mentions k u || mentions k x
  | EIterate _ _ _ _ => true
  | ELet t u => if mentions k t then if mentions 0 u then true else mentions (S k) u else mentions (S k) u
  end.

(** * Shapes and zeros *)

(** How many of an operand's dimensions an operator names. *)
Definition named (o : operator) : nat :=
  match o with
  | Hot _ => 0 | Cropped _ | Cropped_left _ _ | Padded _ | Padded_left _ _ | Parted _ _ => 1
  | Transposed _ _ | Flattened _ _ | Sheared _ _ | Unsheared _ _ _ _ => 2
  | Rotated _ _ _ | Unrotated _ _ _ => 3
  end%nat.

Fixpoint shape_word (env : buffers) (t : tensor_word) : list term :=
  match t with
  | ETensor k => match nth_error env k with Some (_, s) => s | None => [] end
  | EConst _ | EIndex _ _ | EOne _ _ | ETwo _ _ _ | EThree _ _ _ _ => []
  | EView t | EGuard _ _ t | ESelect _ t _ | EPlus _ t _ => shape_word env t
  | EGen n t => n :: map down (shape_word (up_buffers env) t)
  | ESum _ _ t => map down (shape_word (up_buffers env) t)
  | EGet _ _ t _ => tl (shape_word env t)
  | ELet t u => shape_word ((""%string, shape_word env t) :: env) u
  | EOp _ o e t => e ++ skipn (named o) (shape_word env t)
  | EConcat _ e _ _ t _ => e :: tl (shape_word env t)
  | EIterate _ _ _ _ => []
  end.

(** Whether some cell gets no element, or more than one: they must begin as zero. *)
Fixpoint zeros (t : tensor_word) : bool :=
  if scalar_form t then false else
    match t with
    | EGen _ t => zeros t
    | ESum _ _ _ | EGuard _ _ _ | EPlus _ _ _ => true
    | ESelect _ t u | EConcat _ _ _ _ t u => zeros t || zeros u
    | ELet _ u => zeros u
    | EOp _ o _ t => match o with Padded _ | Padded_left _ _ | Parted _ _ | Hot _ | Sheared _ _ => true | _ => zeros t end
    | _ => false
    end.

(** The algebra whose zero that is. *)
Fixpoint ring_of (t : tensor_word) : nat :=
  match t with
  | EGen _ t => ring_of t
  | ESum a _ _ | EGuard a _ _ | EPlus a _ _ | EOp a _ _ _ | EConcat a _ _ _ _ _ => a
  | ESelect _ t u => if zeros t then ring_of t else ring_of u
  | ELet _ u => ring_of u
  | _ => 0%nat
  end.

(** * Statements *)

(** A name that is longer than each of these. *)
Definition longest (names : list string) : nat := list_max (map String.length names).
Fixpoint long (n : nat) : string := match n with O => "t"%string | S n => append "t" (long n) end.
Definition new_name (to : target) (env : buffers) : string := long (longest (into to :: map fst env)).

Definition temporary (env : buffers) (to : target) (t : tensor_word) : target :=
  Target (new_name to env) (ring_of t) (shape_word env t) [] (if zeros t then Zeroed else Unset).
Definition begins (to : target) : option constant := match held_before to with Zeroed => Some (CZero (ring to)) | _ => None end.

(** To the cell, if it is kept. *)
Definition stored (to : target) (v : value_word) : loop_word :=
  let cell := index_word_of (cell_term (extents to) (layers to) []) in
  let store := if is_adding (held_before to) then LUpdate (ring to) (into to) cell v else LStore (into to) cell v in
  match kept_term (layers to) [] with True_ => store | p => LIf (test_word_of p) store LSkip end.

(** A value is stored as it is, unless a condition may leave out the store: the cell is zero, or zero need not be added. *)
Definition stores (to : target) (t : tensor_word) : bool :=
  scalar_form t && match t with EGuard _ _ _ => is_unset (held_before to) | _ => true end.

Fixpoint lower (t : tensor_word) (env : buffers) (to : target) (s : list term) : loop_word :=
  if stores to t then stored to (value_word_of env t) else
    match t with
    | EGen n t =>
        LFor (IPlain (Lit 0)) (index_word_of n) (lower t (up_buffers env) (under_layer (Row (Bound 0)) (up_target to)) (map up (tl s)))
    | ESum _ n t => LFor (IPlain (Lit 0)) (index_word_of n) (lower t (up_buffers env) (adding (up_target to)) (map up s))
    | EGuard _ p t => LIf (test_word_of p) (lower t env to s) LSkip
    | ESelect p t u => LIf (test_word_of p) (lower t env to s) (lower u env to s)
    | EPlus _ t u => LSeq (lower t env (adding to) s) (lower u env (adding to) s)
    | ELet t u =>
        if mentions 0 u then
          let x := temporary env to t in
          LAlloc (into x) (extents x) (begins x) (LSeq (lower t env x (extents x)) (lower u ((into x, extents x) :: env) to s))
        else lower u (nowhere :: env) to s
    | EOp _ o _ t =>
        match reshaping (held_before to) o s with
        | Some (_, r, ls, _) => lower t env (fold_right under_layer to ls) r
        | None => LSkip
        end
    | EConcat _ _ n m t u => LSeq (lower t env to (n :: tl s)) (lower u env (under_layer (Raised n) to) (m :: tl s))
    | _ => LSkip
    end.

(** The whole program: the output's cells begin as zero where they must. *)
Definition output_target (b : string) (t : tensor_word) (s : list term) : target :=
  Target b (ring_of t) s [] (if zeros t then Zeroed else Unset).
Definition lower_program (b : string) (env : buffers) (t : tensor_word) (s : list term) : loop_word :=
  let to := output_target b t s in
  if zeros t then LSeq (LReset b (begins to)) (lower t env to s) else lower t env to s.
End Lower.
