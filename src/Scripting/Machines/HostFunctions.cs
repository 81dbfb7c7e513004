using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting.Machines;

/// <summary>The way from a script into the host: one native class whose objects carry the index of the function that they stand
/// for.</summary>
internal static unsafe class HostFunctions
{
    private static readonly nint s_class = MakeClass();

    // A script runs on the thread that called it, so that thread knows what is running.
    [ThreadStatic]
    private static HostCall? t_current;

    /// <summary>What is running on this thread; null between calls.</summary>
    public static HostCall? Current
    {
        get => t_current;
        set => t_current = value;
    }

    /// <summary>An object with a callable member for each function.</summary>
    public static nint MakeHost(nint context, IReadOnlyList<ScriptFunction> functions)
    {
        var host = JavaScriptCore.JSObjectMake(context, 0, 0);
        for (int i = 0; i < functions.Count; i++)
        {
            var name = NativeText.Create(functions[i].Name);
            // Zero would be no private data.
            JavaScriptCore.JSObjectSetProperty(context, host, name, JavaScriptCore.JSObjectMake(context, s_class, i + 1), 0, out _);
            JavaScriptCore.JSStringRelease(name);
        }
        return host;
    }

    private static nint MakeClass()
    {
        nint* definition = stackalloc nint[JavaScriptCore.ClassDefinitionPointers];
        new Span<nint>(definition, JavaScriptCore.ClassDefinitionPointers).Clear();
        definition[JavaScriptCore.ClassCallAsFunction] = (nint)
            (delegate* unmanaged[Cdecl]<nint, nint, nint, nuint, nint*, nint*, nint>)&Call;
        return JavaScriptCore.JSClassCreate(definition);
    }

    /// <summary>No exception may leave this method: there are native frames above it.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static nint Call(nint context, nint function, nint thisObject, nuint count, nint* arguments, nint* exception)
    {
        string message;
        try
        {
            if (t_current is not { } current)
                message = "Functions of the host cannot be called here.";
            else if (current.Failure is not null)
                message = "The script has been ended.";
            else
                return current.Run((int)JavaScriptCore.JSObjectGetPrivate(function) - 1, context, arguments, (int)count);
        }
        catch (ScriptCallbackException e)
        {
            message = e.Message;
        }
        catch (Exception e)
        {
            // Thrown again when the script has unwound: see HostCall.Failure.
            t_current!.Failure = e;
            message = "The script has been ended.";
        }
        *exception = MakeError(context, message);
        return JavaScriptCore.JSValueMakeUndefined(context);
    }

    private static nint MakeError(nint context, string message)
    {
        var text = NativeText.Create(message);
        var value = JavaScriptCore.JSValueMakeString(context, text);
        JavaScriptCore.JSStringRelease(text);
        var error = JavaScriptCore.JSObjectMakeError(context, 1, &value, out _);
        return error != 0 ? error : value;
    }
}
