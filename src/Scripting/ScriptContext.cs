using System.Buffers;
using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Json;
using Jackdaw.Scripting.Machines;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting;

/// <summary>
/// A script's context in one thread's hands. Nothing of one call is left for the next. Dispose it to give it back; it is not thread-safe.
/// </summary>
public sealed unsafe class ScriptContext : IDisposable
{
    private const int MaxTexts = 8;

    /// <summary>An output buffer larger than this is given back after each call.</summary>
    private const int KeptBytes = 1 << 20;

    private readonly ScriptEngine _engine;
    private readonly ScriptMachine _machine;
    private readonly ScriptRealm _realm;
    private byte[] _output = [];
    private bool _isReturned;

    internal ScriptContext(ScriptEngine engine, ScriptMachine machine, ScriptRealm realm)
    {
        _engine = engine;
        _machine = machine;
        _realm = realm;
    }

    /// <summary>It takes no further call, because one was ended or left too much memory: dispose it and rent another.</summary>
    public bool IsUsedUp => _machine.IsBroken;

    /// <summary>
    /// Calls the script by way of its environment's <c>call</c>. After an error by a limit the context is used up: every further
    /// call throws
    /// <see cref="ObjectDisposedException"/>.
    /// </summary>
    /// <param name="limits">Of this call.</param>
    /// <param name="state">Handed to the functions of the host.</param>
    /// <param name="output">What it gave back, in UTF-8; valid until the next call. Empty when it gave back nothing.</param>
    /// <param name="texts">JSON texts in UTF-8, eight at most, for <c>json.parse</c>.</param>
    /// <returns>False when it gave back nothing (undefined or null).</returns>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    /// <exception cref="ScriptLimitException">It took too long, or its result is too large.</exception>
    /// <exception cref="Exception">What a function of the host threw, other than <see cref="ScriptCallbackException"/>.</exception>
    public bool TryCall(ScriptLimits limits, object? state, out ReadOnlySpan<byte> output, params ReadOnlySpan<ReadOnlyMemory<byte>> texts)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(texts.Length, MaxTexts, nameof(texts));
        CheckCall(limits);
        nint* arguments = stackalloc nint[MaxTexts];
        long bytes = 0;
        for (int i = 0; i < texts.Length; i++)
        {
            // Kept alive by the stack, which the collector reads.
            arguments[i] = LossyNumbers.MakeValue(_realm.Context, texts[i].Span);
            bytes += texts[i].Length;
        }
        return Call(limits, state, arguments, texts.Length, bytes, out output);
    }

    /// <summary>As the other, with texts that are handed over as two: all from <paramref name="first"/> on in one, and a JSON
    /// array of their lengths.</summary>
    public bool TryCall(ScriptLimits limits, object? state, out ReadOnlySpan<byte> output, JoinedTexts texts, int first)
    {
        ArgumentNullException.ThrowIfNull(texts);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)first, (uint)texts.Count, nameof(first));
        CheckCall(limits);
        nint* arguments = stackalloc nint[2];
        arguments[0] = texts.MakeText(_realm.Context, first);
        arguments[1] = texts.MakeLengths(_realm.Context, first);
        return Call(limits, state, arguments, 2, texts.LengthFrom(first), out output);
    }

    /// <summary>Gives the context back.</summary>
    public void Dispose()
    {
        if (_isReturned)
            return;
        _isReturned = true;
        FreeOutput();
        _engine.Return(_machine);
    }

    private void CheckCall(ScriptLimits limits)
    {
        ArgumentNullException.ThrowIfNull(limits);
        ObjectDisposedException.ThrowIf(_isReturned || _machine.IsBroken, this);
        // A callback that calls back into its own context would be measured by one clock and answered by one buffer.
        if (HostFunctions.Current is not null)
            throw new InvalidOperationException("A script is running on this thread already.");
    }

    private bool Call(ScriptLimits limits, object? state, nint* arguments, int count, long bytes, out ReadOnlySpan<byte> output)
    {
        var context = _realm.Context;
        var call = _realm.Call;
        call.State = state;
        call.Limits = limits;
        _machine.BeginCall(limits.Time);
        long started = Stopwatch.GetTimestamp();
        HostFunctions.Current = call;
        try
        {
            var value = JavaScriptCore.JSObjectCallAsFunction(context, _realm.Function, 0, (nuint)count, arguments, out var thrown);
            if (call.Failure is { } failure)
                ExceptionDispatchInfo.Throw(failure);
            if (thrown != 0)
                throw _realm.ErrorOf(thrown, limits);
            bool isSomething = TryRead(context, value, limits, out output);
            bytes += output.Length;
            return isSomething;
        }
        finally
        {
            HostFunctions.Current = null;
            call.Failure = null;
            call.State = null;
            _machine.EndCall(context, bytes, started, limits);
        }
    }

    private bool TryRead(nint context, nint value, ScriptLimits limits, out ReadOnlySpan<byte> output)
    {
        output = default;
        int type = JavaScriptCore.JSValueGetType(context, value);
        if (type is JavaScriptCore.TypeUndefined or JavaScriptCore.TypeNull)
            return false;
        if (type != JavaScriptCore.TypeString)
            throw new InvalidOperationException("The prelude of a script must give back a text or undefined.");
        var text = JavaScriptCore.JSValueToStringCopy(context, value, out _);
        if (text == 0)
            throw new ScriptLimitException("The script's result is too large for the script engine.");
        try
        {
            long length = NativeText.Length(text);
            if (length > limits.MaxResultLength)
                throw new ScriptLimitException(
                    $"The script's result has {length:N0} characters, over the limit of {limits.MaxResultLength:N0}."
                );
            if (_output.Length > KeptBytes)
                FreeOutput();
            int bytes = NativeText.Read(text, ref _output);
            output = _output.AsSpan(0, bytes);
            return true;
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    private void FreeOutput()
    {
        if (_output.Length > 0)
            NativeText.Return(_output);
        _output = [];
    }
}
